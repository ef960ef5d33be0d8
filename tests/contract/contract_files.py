"""Files: whole or not at all, by name, the bytes that were put."""

import hashlib
from datetime import timedelta

import pytest

from ticketing.errors import NotFound
from ticketing.times import utc_now

LONG = [bytes([i]) * 700_000 for i in range(4)]
"""Chunks that no store keeps as they are cut here."""


def content(store, name):
    return b"".join(store.file_chunks(name))


class FileContract:
    """Each test is a sentence of Files."""

    def test_a_file_comes_back_as_it_was_put(self, store):
        for chunks in (LONG, [b"short"], [b"", b"a", b""], []):
            whole = b"".join(chunks)
            kept = store.put_file("report/1/all.json", iter(chunks))
            assert (kept.bytes, kept.sha256) == (len(whole), hashlib.sha256(whole).hexdigest())
            assert abs(kept.put - utc_now()) < timedelta(minutes=1)
            assert store.files() == [kept]
            assert content(store, kept.name) == whole

    def test_files_are_listed_by_name(self, store):
        names = ["bundle/b1/manifest.json", "bundle/b10/a", "bundle/b1/a", "import/7"]
        for name in names:
            store.put_file(name, [b"same"])
        assert [file.name for file in store.files()] == sorted(names)
        found = [file.name for file in store.files("bundle/b1/")]
        assert found == ["bundle/b1/a", "bundle/b1/manifest.json"]
        assert store.files("%") == store.files("nothing") == []

    def test_a_dropped_file_is_gone_and_others_of_the_same_bytes_stay(self, store):
        for name in ("a", "b"):
            store.put_file(name, LONG)
        store.drop_file("a")
        store.drop_file("a")
        with pytest.raises(NotFound, match="no file a in the store"):
            content(store, "a")
        assert content(store, "b") == b"".join(LONG)

    def test_a_file_that_is_not_put_to_its_end_leaves_the_one_before(self, store):
        def broken():
            yield LONG[0]
            raise ValueError("cut off")

        store.put_file("a", [b"before"])
        for name in ("a", "b"):
            with pytest.raises(ValueError, match="cut off"):
                store.put_file(name, broken())
        assert content(store, "a") == b"before"
        assert [file.name for file in store.files()] == ["a"]

    def test_a_file_is_either_the_old_or_the_new_one(self, store):
        store.put_file("a", [b"old"])
        store.put_file("a", [b"new one"])
        assert content(store, "a") == b"new one"
        [kept] = store.files()
        assert kept.bytes == 7

    def test_a_file_may_lie_where_it_can_be_linked(self, store):
        store.put_file("a", LONG)
        path = store.file_at("a")
        assert path is None or path.read_bytes() == b"".join(LONG)
        assert store.file_at("nothing") is None

    def test_whole_files_are_no_damage(self, store):
        store.put_file("a", LONG)
        store.put_file("a", [b"again"])
        assert list(store.findings()) == []
