"""Settings of a training, from a file and from options."""

import pytest

from tests.commands import refused
from ticketing.cli.model_settings import read_settings
from ticketing.errors import InputError
from ticketing.model.settings import NetworkSettings
from ticketing.training.settings import TrainingSettings
from worker.cli import train

pytestmark = pytest.mark.usefixtures("home")


def test_settings_come_from_toml_with_options_on_top(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('[network]\nhidden = 7\nchannels = ["h", "E"]\n[training]\nepochs = 9\n')
    overrides = ("network.hidden=8", "network.pairs=merged", 'training.optimizer="adadelta"')
    network, training = read_settings(file, overrides)
    assert (network.hidden, network.channels, network.pairs) == (8, ("h", "E"), "merged")
    assert (training.epochs, training.optimizer) == (9, "adadelta")
    assert read_settings(None) == (NetworkSettings(), TrainingSettings())


@pytest.mark.parametrize("override", ['training.teacher=""', "training.teacher="])
def test_quotes_that_a_shell_takes_away_change_nothing(override):
    assert read_settings(None, (override,))[1].teacher == ""


def test_the_loss_of_the_paper_brings_its_other_settings():
    assert read_settings(None, ("training.loss=mse",))[1] == TrainingSettings.for_loss(loss="mse")


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("network.hidden=-1", "network.hidden=-1"),
        ("network.hidden.x=1", "network.hidden={'x': 1}"),
        ("network.hidden=many", "network.hidden='many'"),
        ("network.hidden=", "network.hidden=''"),
        ("training.optimizer=sgd", "training.optimizer='sgd'"),
        ("training.seed=4294967296", "training.seed=4294967296: give less than 4294967296."),
        ("network.word_dims=99999999999", "network.word_dims=99999999999: give 4096 or less."),
        ("training.batch_size=1000000", "training.batch_size=1000000: give 8192 or less."),
        ("training.learning_rate=11", "training.learning_rate=11: give 10 or less."),
        ("network.depth=2", "network.depth=2"),
        ("network.channels=[]", "network.channels"),
        ('network.channels=["h", "Q"]', "network.channels.1='Q'"),
        ('network.merged_query=["SOL2"]', "network.merged_query.0='SOL2'"),
        (
            "training.epoch=2",
            "training.epoch=2: nothing here is called that; write training.epochs.",
        ),
        ("training.xqz=2", "training.xqz=2: nothing here is called that."),
        ("epochs=2", "--set epochs=2: write it as"),
        ("training.epochs", "--set training.epochs: write it as"),
        ("serving.threads=2", "--set serving.threads=2: write it as"),
    ],
)
def test_a_wrong_setting_is_named(override, sentence):
    assert sentence in refused(InputError, train.command, "--set", override)


def test_settings_that_are_nested_too_deep_are_one_sentence(tmp_path):
    for override, sentence in (
        (f"network{'.a' * 20_000}=1", "What --set names has more than the 32 levels"),
        (f"network.hidden={'[' * 20_000}", "network.hidden='[["),
    ):
        assert sentence in refused(InputError, train.command, "--set", override)
    file = tmp_path / "settings.toml"
    file.write_text(f"[network{'.a' * 20_000}]\n")
    sentence = "settings.toml is not TOML: it has more than the 32 levels"
    assert sentence in refused(InputError, train.command, "--settings", str(file))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[netwrok]\nhidden = 3\n", "netwrok is neither"),
        ("hidden = 3\n", "hidden is neither"),
        ("network = 3\n", "network is neither"),
        ("[network\n", "is not TOML"),
        ("[training]\nepochs = -2\n", "training.epochs=-2"),
    ],
)
def test_a_wrong_settings_file_is_named(tmp_path, text, sentence):
    file = tmp_path / "settings.toml"
    file.write_text(text)
    assert sentence in refused(InputError, train.command, "--settings", str(file))
    assert refused(InputError, train.command, "--settings", str(file), "--set=network.hidden=3")


def test_a_settings_file_that_is_missing_or_no_text_is_named(tmp_path):
    assert "nowhere.toml cannot be read" in refused(
        InputError, train.command, "--settings", str(tmp_path / "nowhere.toml")
    )
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe\x00")
    assert "settings.toml is not TOML" in refused(
        InputError, train.command, "--settings", str(tmp_path / "settings.toml")
    )
