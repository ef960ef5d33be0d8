"""What TopicModel promises, required of every model; a subclass names model and settings."""

import numpy as np
import pytest

from topic_models import (
    LDA,
    DocNADE,
    DocNADESettings,
    DocumentsError,
    LDASettings,
    NotFittedError,
    SettingsError,
)

V = 12


def two_topics(documents: int, seed: int = 0) -> list[list[int]]:
    """Documents of 3 to 9 words, each drawn from words 0-5 only or from words 6-11 only."""
    random = np.random.default_rng(seed)
    return [
        (random.integers(0, 6, random.integers(3, 10)) + 6 * (i % 2)).tolist()
        for i in range(documents)
    ]


DOCUMENTS = two_topics(60)
HELD_OUT = two_topics(20, seed=1)


class Contract:
    """The tests; `settings` makes the settings of the model under test."""

    model: type
    settings: staticmethod

    @pytest.fixture(scope="class")
    @classmethod
    def fitted(cls):
        return cls.model(cls.settings()).fit(DOCUMENTS, HELD_OUT)

    def test_vectors_are_float32_one_row_a_document_one_column_a_topic(self, fitted):
        vectors = fitted.transform(DOCUMENTS)

        assert (vectors.dtype, vectors.shape) == (np.float32, (60, 4))
        assert np.isfinite(vectors).all()

    def test_no_documents_give_no_vectors_and_no_likelihoods(self, fitted):
        assert fitted.transform([]).shape == (0, 4)
        assert fitted.log_likelihood([]).shape == (0,)

    def test_a_vector_does_not_depend_on_the_batch_it_came_in(self, fitted):
        together = fitted.transform(DOCUMENTS)
        alone = np.concatenate([fitted.transform([document]) for document in DOCUMENTS])

        assert np.array_equal(together, alone)

    def test_a_likelihood_does_not_depend_on_the_batch_it_came_in(self, fitted):
        together = fitted.log_likelihood(DOCUMENTS)
        alone = [fitted.log_likelihood([document])[0] for document in DOCUMENTS]

        assert together == pytest.approx(alone, rel=1e-5)

    def test_a_far_longer_neighbour_changes_nothing(self, fitted):
        document, long = [0, 1, 2], [7, 8] * 500

        assert np.array_equal(
            fitted.transform([document, long])[0], fitted.transform([document])[0]
        )
        assert fitted.log_likelihood([document, long])[0] == pytest.approx(
            fitted.log_likelihood([document])[0], rel=1e-5
        )

    @pytest.mark.parametrize("place", range(5))
    def test_every_word_changes_the_vector(self, fitted, place):
        document = [0, 1, 2, 3, 4]
        changed = [*document[:place], 9, *document[place + 1 :]]

        assert not np.allclose(*fitted.transform([document, changed]), atol=1e-4)

    def test_each_occurrence_of_a_word_counts(self, fitted):
        once, twice = fitted.transform([[0, 7], [0, 0, 7]])

        assert not np.allclose(once, twice, atol=1e-4)

    def test_the_order_of_the_words_does_not_change_the_vector(self, fitted):
        backwards = [document[::-1] for document in DOCUMENTS]

        assert np.array_equal(fitted.transform(DOCUMENTS), fitted.transform(backwards))

    def test_asking_twice_gives_the_same_answers(self, fitted):
        assert np.array_equal(fitted.transform(HELD_OUT), fitted.transform(HELD_OUT))
        assert np.array_equal(fitted.log_likelihood(HELD_OUT), fitted.log_likelihood(HELD_OUT))

    def test_the_same_seed_gives_the_same_model(self, fitted):
        again = self.model(self.settings()).fit(DOCUMENTS, HELD_OUT)

        assert again.history == fitted.history
        assert np.array_equal(again.transform(HELD_OUT), fitted.transform(HELD_OUT))

    def test_another_seed_gives_another_model(self, fitted):
        other = self.model(self.settings(seed=5)).fit(DOCUMENTS, HELD_OUT)

        assert not np.allclose(other.transform(HELD_OUT), fitted.transform(HELD_OUT), atol=1e-4)

    def test_a_seed_that_no_generator_takes_is_refused_before_anything_is_learned(self):
        self.model(self.settings(seed=2**32 - 1)).fit(DOCUMENTS[:4], HELD_OUT)
        with pytest.raises(SettingsError, match=r"Settings\.seed: "):
            self.settings(seed=2**32)

    def test_fitting_again_forgets_what_was_learned(self, fitted):
        model = self.model(self.settings()).fit(HELD_OUT)
        model.fit(DOCUMENTS, HELD_OUT)

        assert np.array_equal(model.transform(HELD_OUT), fitted.transform(HELD_OUT))

    def test_training_leaves_the_random_numbers_of_others_alone(self):
        np.random.seed(3)
        expected = np.random.RandomState(3).random_sample()
        self.model(self.settings()).fit(DOCUMENTS)

        assert np.random.random_sample() == expected

    def test_unknown_words_are_skipped(self, fitted):
        known, mixed = [0, 3, 3], [-1, 0, V, 3, 10**12, 3]

        assert np.array_equal(*fitted.transform([known, mixed]))
        assert fitted.log_likelihood([mixed]) == fitted.log_likelihood([known])

    def test_documents_without_a_known_word_share_one_vector_and_have_no_words_to_score(
        self, fitted
    ):
        empty, unknown = fitted.transform([[], [V, -3]])

        assert np.array_equal(empty, unknown)
        assert np.isfinite(empty).all()
        assert fitted.log_likelihood([[], [V]]).tolist() == [0, 0]

    def test_empty_documents_between_others_shift_nothing(self, fitted):
        full = [[], [0, 1], [], [], [7, 8, 9], []]

        assert np.array_equal(fitted.transform(full)[[1, 4]], fitted.transform([full[1], full[4]]))
        assert fitted.log_likelihood(full)[[1, 4]] == pytest.approx(
            fitted.log_likelihood([full[1], full[4]]), rel=1e-5
        )

    def test_empty_documents_do_not_count_in_training(self, fitted):
        padded = self.model(self.settings()).fit([[], *DOCUMENTS, [V]], [*HELD_OUT, []])

        assert np.array_equal(padded.transform(HELD_OUT), fitted.transform(HELD_OUT))

    def test_arrays_serve_as_documents(self, fitted):
        arrays = [np.array(document, np.int32) for document in DOCUMENTS]

        assert np.array_equal(fitted.transform(arrays), fitted.transform(DOCUMENTS))

    @pytest.mark.parametrize("bad", [["words"], [0.5], [None], [[1]], [2**63]], ids=repr)
    def test_anything_but_integers_is_refused_by_its_document(self, fitted, bad):
        with pytest.raises(DocumentsError, match="Document 1 "):
            fitted.transform([[0], bad])

    def test_likelihoods_are_negative_nats_and_longer_documents_less_likely(self, fitted):
        short, long = fitted.log_likelihood([[0, 1], [0, 1, 2, 3]])

        assert long < short < 0

    def test_perplexity_is_normalised_by_document(self, fitted):
        documents = [[0], [7, 8, 9]]
        one, three = fitted.log_likelihood(documents)

        assert fitted.perplexity([*documents, []]) == pytest.approx(np.exp(-(one + three / 3) / 2))

    def test_perplexity_of_no_words_is_refused(self, fitted):
        with pytest.raises(DocumentsError, match="None of the documents"):
            fitted.perplexity([[], [V]])

    def test_it_learns_more_than_word_frequencies(self, fitted):
        assert fitted.perplexity(HELD_OUT) < 10

    def test_top_words_are_distinct_ids_and_no_more_than_there_are(self, fitted):
        words = fitted.top_words(0, 100)

        assert sorted(words) == list(range(V))
        assert fitted.top_words(0, 3) == words[:3]

    @pytest.mark.parametrize("topic", [-1, 4])
    def test_a_topic_that_does_not_exist_is_refused(self, fitted, topic):
        with pytest.raises(IndexError, match=f"no topic {topic}; the topics are 0 to 3"):
            fitted.top_words(topic)

    def test_topics_of_a_document_are_its_largest_entries_in_order(self, fitted):
        document = DOCUMENTS[0]
        vector = fitted.transform([document])[0]

        topics = fitted.topics(document, 4)

        assert [weight for _, weight in topics] == sorted(vector.tolist(), reverse=True)
        assert all(vector[topic] == np.float32(weight) for topic, weight in topics)
        assert fitted.topics(document, 2) == topics[:2]

    def test_saved_and_loaded_it_answers_the_same(self, fitted, tmp_path):
        fitted.save(tmp_path / "model")
        loaded = self.model.load(tmp_path / "model")

        assert loaded.settings == fitted.settings
        assert np.array_equal(loaded.transform(HELD_OUT), fitted.transform(HELD_OUT))
        assert np.array_equal(loaded.log_likelihood(HELD_OUT), fitted.log_likelihood(HELD_OUT))
        assert loaded.top_words(2) == fitted.top_words(2)

    def test_its_state_can_be_kept_elsewhere(self, fitted):
        rebuilt = self.model.from_state(fitted.settings, fitted.state())

        assert np.array_equal(rebuilt.transform(HELD_OUT), fitted.transform(HELD_OUT))

    def test_its_state_is_a_copy(self, fitted):
        before = fitted.transform(HELD_OUT)
        for array in fitted.state().values():
            array[:] = 0

        assert np.array_equal(fitted.transform(HELD_OUT), before)

    def test_before_fit_it_says_that_it_has_learned_nothing(self):
        for ask in ("transform", "log_likelihood"):
            with pytest.raises(NotFittedError, match="call fit or load first"):
                getattr(self.model(self.settings()), ask)(DOCUMENTS)

    @pytest.mark.parametrize("parts", [([[], [V]], None), (DOCUMENTS, [[]])])
    def test_nothing_to_learn_from_is_refused(self, parts):
        with pytest.raises(DocumentsError, match="has a word of the vocabulary"):
            self.model(self.settings()).fit(*parts)

    def test_an_interrupted_run_resumes_and_ends_as_an_unbroken_one(self, fitted, tmp_path):
        class Stop(Exception):
            pass

        def interrupt(progress):
            if progress.epoch == 3:
                raise Stop

        checkpoint = tmp_path / "run.safetensors"
        with pytest.raises(Stop):
            self.model(self.settings()).fit(
                DOCUMENTS, HELD_OUT, progress=interrupt, checkpoint=checkpoint
            )
        epochs = []
        resumed = self.model(self.settings()).fit(
            DOCUMENTS, HELD_OUT, progress=lambda p: epochs.append(p.epoch), checkpoint=checkpoint
        )

        assert min(epochs) == 3
        assert resumed.history == fitted.history
        assert np.array_equal(resumed.transform(HELD_OUT), fitted.transform(HELD_OUT))

    def test_progress_counts_every_document_of_every_epoch(self):
        seen = []
        self.model(self.settings(epochs=2)).fit(DOCUMENTS, progress=seen.append)

        assert [p.epoch for p in seen] == sorted(p.epoch for p in seen)
        assert {(p.epochs, p.total) for p in seen} == {(2, 60)}
        assert [p.done for p in seen if p.epoch == 2][-1] == 60


class TestDocNADETree(Contract):
    model = DocNADE

    @staticmethod
    def settings(**changes):
        defaults = {"vocabulary_size": V, "topics": 4, "epochs": 30, "batch_size": 8}
        return DocNADESettings(**{**defaults, "learning_rate": 0.05, **changes})


class TestDocNADEFull(TestDocNADETree):
    @staticmethod
    def settings(**changes):
        return TestDocNADETree.settings(**{"output": "full", "activation": "sigmoid", **changes})


class TestIDocNADE(TestDocNADETree):
    @staticmethod
    def settings(**changes):
        return TestDocNADETree.settings(**{"bidirectional": True, **changes})


class TestDocNADEWithEveryLever(TestDocNADETree):
    """Dropout draws random numbers in training, orders read each document several times."""

    @staticmethod
    def settings(**changes):
        return TestDocNADETree.settings(
            **{
                "dropout": 0.2,
                "weight_decay": 0.01,
                "orders": 3,
                "leaves": "similar",
                "averaged": True,
                "shuffle": False,
                **changes,
            }
        )


class TestLDA(Contract):
    model = LDA

    @staticmethod
    def settings(**changes):
        return LDASettings(
            **{"vocabulary_size": V, "topics": 4, "epochs": 15, "batch_size": 8, **changes}
        )
