"""A desk on servers backed up to one file, and restored to servers and to SQLite."""

from contextlib import closing

import pytest

from tests.contract.contract_examples import ALL, ASKING, EVENT, VERDICT
from ticketing.desk import open_desk
from ticketing.desk.restore import restore
from ticketing.errors import InputError
from ticketing.settings import load_settings
from ticketing.stores.migration import require_equal

pytestmark = pytest.mark.elasticsearch


def unseen(what, total, unit=""):
    return lambda count: None


def test_a_desk_on_servers_is_carried_in_one_file(
    elasticsearch_settings, tmp_path, tmp_path_factory
):
    settings, file = elasticsearch_settings, tmp_path_factory.mktemp("kept") / "desk.backup"
    with closing(open_desk(settings)) as desk:
        desk.store.put_tickets(ALL)
        desk.store.add_judgments([EVENT])
        desk.store.add_verdicts([VERDICT])
        desk.store.add_events([ASKING])
        desk.back_up(file, unseen)
        with pytest.raises(InputError, match="holds a desk already; name an empty one"):
            restore(settings.model_copy(update={"home": tmp_path / "x"}), file, True, unseen)
        for other in (
            load_settings(home=tmp_path / "sqlite"),
            settings.model_copy(
                update={
                    "home": tmp_path / "servers",
                    "store_prefix": f"{settings.store_prefix}r",
                }
            ),
        ):
            restore(other, file, False, unseen)
            with closing(open_desk(other)) as again:
                require_equal(desk.store, again.store, unseen)
                assert list(again.findings()) == []
