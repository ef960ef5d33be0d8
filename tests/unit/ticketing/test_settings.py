"""What the environment may say: all else is refused with a sentence."""

import pytest

from ticketing.errors import InputError
from ticketing.settings import load_settings
from ticketing.stores import open_store


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HOME", "", "TICKETING_HOME='' cannot be used: name a folder, or leave it out."),
        (
            "HOME",
            "~nobodyhere/x",
            "TICKETING_HOME='~nobodyhere/x' cannot be used: nobody has this ~ here;",
        ),
        ("LOG_LEVEL", "LOUD", "TICKETING_LOG_LEVEL='LOUD' cannot be used: give 'DEBUG', 'INFO',"),
        ("JOB_HOURS", "inf", "TICKETING_JOB_HOURS='inf' cannot be used: give 8760 or less."),
        ("JOB_HOURS", "nan", "TICKETING_JOB_HOURS='nan' cannot be used: "),
        ("SESSION_LIFE", "9" * 14, "TICKETING_SESSION_LIFE='99999999999999' cannot be used: give"),
        ("SESSION_IDLE", "9" * 14, "TICKETING_SESSION_IDLE='99999999999999' cannot be used: give"),
        ("KEEP_QUERIES", "9" * 11, "TICKETING_KEEP_QUERIES='99999999999' cannot be used: give"),
        ("STORE_TIMEOUT", "inf", "TICKETING_STORE_TIMEOUT='inf' cannot be used: give 3600 or"),
        ("POTR", "1", "There is no setting TICKETING_POTR; write TICKETING_PORT, or take it out."),
        ("XQZ", "1", "There is no setting TICKETING_XQZ; take it out."),
        ("STORE", "sqlite:///", "TICKETING_STORE cannot be used: name a folder behind it, as"),
    ],
)
def test_what_cannot_be_used_is_refused(monkeypatch, name, value, said):
    monkeypatch.setenv(f"TICKETING_{name}", value)
    with pytest.raises(InputError) as raised:
        load_settings()
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    ("name", "value", "example"),
    [("STORE", "http://[::1", "http://HOST:9200"), ("BROKER", "redis://[", "redis://HOST:6379/0")],
)
def test_what_is_no_address_is_told_what_its_own_looks_like(monkeypatch, name, value, example):
    monkeypatch.setenv(f"TICKETING_{name}", value)
    with pytest.raises(InputError, match=f"_{name} cannot be used: .*; write one as {example}"):
        load_settings()


def test_a_level_may_be_written_in_small_letters(monkeypatch):
    monkeypatch.setenv("TICKETING_LOG_LEVEL", "info")
    assert load_settings().log_level == "INFO"


def test_a_misspelt_line_of_the_file_is_refused(tmp_path):
    (tmp_path / ".env").write_text("OTHERS=1\nTICKETING_THREAD=1\n")
    with pytest.raises(InputError, match="no setting TICKETING_THREAD; write TICKETING_THREADS"):
        load_settings()


def test_a_file_that_is_no_utf8_is_refused(tmp_path):
    (tmp_path / ".env").write_bytes("TICKETING_HOME=Gr\xf6\xdfe\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"\.env is not UTF-8; save it as UTF-8\."):
        load_settings()


@pytest.mark.parametrize("where", ["environment", "file"])
def test_a_home_may_begin_with_ones_own_folder(tmp_path, monkeypatch, where):
    monkeypatch.setenv("HOME", str(tmp_path))
    if where == "file":
        monkeypatch.delenv("TICKETING_HOME", raising=False)
        (tmp_path / ".env").write_text("TICKETING_HOME=~/desk\n")
    else:
        monkeypatch.setenv("TICKETING_HOME", "~/desk")
    assert load_settings().home == tmp_path / "desk"


def test_the_folder_of_a_store_may_begin_so_too(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "desk").mkdir()
    open_store(load_settings(store="sqlite:///~/desk")).close()
    assert [path.name for path in tmp_path.iterdir()] == ["desk"]
