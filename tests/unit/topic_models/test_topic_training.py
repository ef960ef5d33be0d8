"""The training loop, driven with a learner whose every score is set beforehand."""

import numpy as np
import pytest

from topic_models import CheckpointError, Epoch, ProgressBar
from topic_models.training import Progress, train


class Scripted:
    """Counts its epochs in its only array; its validation perplexities are given."""

    def __init__(self, *scores):
        self.scores = scores
        self.epochs = np.zeros(1)
        self.ran = []

    def run_epoch(self, number, advance):
        self.ran.append(number)
        self.epochs[0] = number
        advance(3)
        return 10.0

    def validate(self):
        return self.scores[self.ran[-1] - 1] if self.scores else None

    def snapshot(self):
        return {"epochs": self.epochs.copy()}

    def restore(self, arrays):
        self.epochs = arrays["epochs"].copy()


def run(learner, **options):
    defaults = {"documents": 3, "epochs": 6, "patience": 2, "fingerprint": "same"}
    return train(learner, **{**defaults, **options})


def test_it_ends_after_epochs_without_gain_and_keeps_the_best_one():
    learner = Scripted(9, 7, 8, 7.5, 1)

    history = run(learner)

    assert [epoch.validation for epoch in history] == [9, 7, 8, 7.5]
    assert learner.epochs == 2


def test_a_late_gain_within_patience_is_kept():
    learner = Scripted(9, 7, 8, 6, 8, 8)
    run(learner)

    assert learner.epochs == 4


def test_without_validation_all_epochs_run_and_the_last_is_kept():
    learner = Scripted()

    assert run(learner) == (Epoch(10.0, None),) * 6
    assert learner.epochs == 6


def test_a_finished_run_is_not_run_again(tmp_path):
    path = tmp_path / "run"
    history = run(Scripted(9, 7, 8, 8), checkpoint=path)
    again = Scripted(9, 7, 8, 8)

    assert run(again, checkpoint=path) == history
    assert (again.ran, again.epochs) == ([], 2)


def test_a_run_goes_on_after_its_last_whole_epoch(tmp_path):
    path = tmp_path / "run"
    first, second = Scripted(9, 8, 7, 6, 5, 4), Scripted(9, 8, 7, 6, 5, 4)

    def stop(progress):
        if progress.epoch == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(first, checkpoint=path, progress=stop)
    run(second, checkpoint=path)

    assert (second.ran, second.epochs) == ([4, 5, 6], 6)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    path = tmp_path / "run"
    run(Scripted(), checkpoint=path)

    with pytest.raises(CheckpointError, match="other settings or documents; delete it"):
        run(Scripted(), checkpoint=path, fingerprint="other")


def test_a_truncated_checkpoint_is_refused(tmp_path):
    path = tmp_path / "run"
    run(Scripted(), checkpoint=path)
    path.write_bytes(path.read_bytes()[:-3])

    with pytest.raises(CheckpointError, match=r"truncated or damaged.*Delete it to start anew"):
        run(Scripted(), checkpoint=path)


def test_the_bar_counts_documents_over_all_epochs(capsys):
    bar = ProgressBar()
    bar(Progress(epoch=2, epochs=4, done=3, total=5, history=(Epoch(20.0, 31.4),)))
    bar.close()

    line = capsys.readouterr().err
    assert "8/20" in line
    assert "validation=31" in line
