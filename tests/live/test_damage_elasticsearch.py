"""A bundle of which the servers lost a part."""

import os
import shutil
from contextlib import closing

import pytest

from tests.tiny import other_bundle, put_encoded
from ticketing.cli.check import command
from ticketing.desk import open_desk
from ticketing.stores.elasticsearch.connection import Connection
from ticketing.stores.elasticsearch.indices import FILES

pytestmark = pytest.mark.elasticsearch


def checked(*options):
    with pytest.raises(SystemExit) as ended:
        command.main(list(options), standalone_mode=False)
    return ended.value.code


def test_a_bundle_that_lost_a_piece_lets_the_one_before_serve(
    elasticsearch_settings,
    trained,
    archive_tickets,
    tmp_path,
    monkeypatch,
    capsys,
):
    settings = elasticsearch_settings
    os.umask(0o077)
    shutil.copytree(trained[0], tmp_path / "models")
    for name in ("home", "store", "store_prefix"):
        monkeypatch.setenv(f"TICKETING_{name.upper()}", str(getattr(settings, name)))
    with closing(open_desk(settings)) as desk:
        put_encoded(desk, trained[1], archive_tickets)
        second = other_bundle(desk, trained[1])
        put_encoded(desk, second, archive_tickets)
        desk.models.share_all()
        [named] = desk.whole.named(f"bundle/{second}/network")
    shutil.rmtree(tmp_path / "models")
    with closing(Connection(settings)) as connection, connection.client() as client:
        index = connection.alias(FILES)
        client.delete(index=index, id=f"{named['upload']}:0", refresh=True)
    assert checked() == 1
    assert " left." in capsys.readouterr().out.splitlines()[-1]
    checked("--repair")
    said = capsys.readouterr().out
    assert f"let {trained[1]} serve again" in said
    assert checked() == 0, said
    with closing(open_desk(settings)) as desk:
        assert desk.store.serving() == trained[1]
