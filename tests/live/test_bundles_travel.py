"""Two homes on one Elasticsearch: what one promotes, the other fetches and answers by."""

import shutil
from contextlib import closing

import pytest

from tests.tiny import other_bundle, swapped
from ticketing.desk import open_desk
from ticketing.errors import NotFound
from ticketing.settings import Settings
from ticketing.tickets import Query, Ticket

pytestmark = pytest.mark.elasticsearch

ASKED = Query("Barring drive pawl faulty")


def test_bundles_travel_between_homes(elasticsearch_settings, tmp_path, trained, archive_tickets):
    def home(name: str) -> Settings:
        return elasticsearch_settings.model_copy(update={"home": tmp_path / name})

    with closing(open_desk(home("one"))) as one, closing(open_desk(home("two"))) as two:
        shutil.copytree(trained[0], one.models.folder)
        one.store.put_tickets(archive_tickets)
        one.store.put_codes(trained[1], one.encode(trained[1], archive_tickets))
        one.promote(trained[1])
        assert two.recommend(ASKED).items == one.recommend(ASKED).items
        other = one.bundle(other_bundle(one, trained[1]))
        one.store.put_codes(other, one.encode(other, archive_tickets))
        one.promote(other, force=True)
        one.put_tickets([Ticket("new", ASKED.subject)])
        assert two.recommend(ASKED).bundle_id in (trained[1], other)
        swapped(two)
        assert two.recommend(ASKED).items == one.recommend(ASKED).items
        assert two.recommend(ASKED).items[0].ticket.id == "new"
        one.rollback()
        two.delete_bundle(other)
        assert one.store.bundles() == [trained[1]]
        assert [bundle.id for bundle in one.bundle_list()] == [trained[1]]
        with closing(open_desk(home("three"))) as three, pytest.raises(NotFound):
            three.models.require(other)
