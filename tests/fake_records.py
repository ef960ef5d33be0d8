"""A dozen gas turbine tickets and two jobs, for tests of code above a Desk."""

from datetime import datetime

from ticketing.jobs import Job, JobKind, JobState
from ticketing.tickets import Ticket


def tickets() -> list[Ticket]:
    """Twelve tickets; GT-0107 is long, GT-0108 has no solution, GT-0111 no description."""
    rows = [
        (
            "GT-0101",
            "Exhaust temperature spread high, trip on start",
            "Unit trips at about 35 % load during run up. Spread between hottest and coldest "
            "exhaust thermocouple reaches 64 deg C. Thermocouple 9 and its neighbours read cold.",
            "Burner 7 was partly blocked by coke. Pulled and cleaned the pilot nozzle, new "
            "swirler seal.\nSpread after restart 18 deg C, unit released.",
            "SGT-400",
            "closed",
            "2014-03-02",
        ),
        (
            "GT-0102",
            "Vibration bearing 2 rising with load",
            "Radial vibration at bearing 2 climbs from 3 to 9 mm/s above 80 % load, 1x dominant.",
            "Trim balance on the power turbine coupling, 42 g at 110 deg. Vibration now 2.8 mm/s.",
            "SGT-400",
            "closed",
            "2013-11-19",
        ),
        (
            "GT-0103",
            "Lube oil pressure low alarm after filter change",
            "LOP dropped to 1.1 bar after changeover of the duplex filter, standby pump came in.",
            "Air was trapped in the new filter. Vented the housing through the bleed screw, "
            "pressure back at 1.9 bar. Note added to the changeover procedure.",
            "SGT-300",
            "closed",
            "2014-01-08",
        ),
        (
            "GT-0104",
            "Flame out at base load",
            "Loss of flame detected on both scanners, gas control valve was hunting before.",
            "Gas valve position feedback was loose; tightened the LVDT connector and re-tuned the "
            "valve. Cleaned the scanner lenses as well.",
            "SGT-400",
            "closed",
            "2012-07-23",
        ),
        (
            "GT-0105",
            "Inlet guide vanes stuck",
            "IGV do not follow the demand, deviation 8 deg, run up stops at 60 % speed.",
            "Actuator linkage was dry and corroded. Replaced the bearings of the unison ring and "
            "greased it.",
            "SGT-300",
            "closed",
            "2013-02-14",
        ),
        (
            "GT-0106",
            "Cold spot in exhaust, burner nine",
            "Swirl angle of the cold sector points at one can. Fuel gas pressure is normal.",
            "Can 9 had a cracked transition piece; replaced it together with the igniter.",
            "SGT-400",
            "in service",
            "2014-05-30",
        ),
        (
            "GT-0107",
            "Compressor performance degraded over six months",
            " ".join(
                f"Week {week}: compressor efficiency {87 - week * 0.2:.1f} %, discharge pressure "
                f"down {week * 0.04:.2f} bar, ambient {12 + week % 9} deg C, no alarm."
                for week in range(1, 25)
            ),
            "Offline water wash with detergent in three cycles, then an inspection of the inlet "
            "filter house: two panels bypassed dust. Panels sealed.",
            "SGT-700",
            "closed",
            "2014-06-11",
        ),
        (
            "GT-0108",
            "Starter motor does not disengage",
            "Clutch stays engaged above 60 % speed, start aborted by the operator.",
            "",
            "SGT-700",
            "open",
            "2014-08-01",
        ),
        (
            "GT-0109",
            "Gas leak alarm in enclosure",
            "Detector 3 shows 12 % LEL with the unit at standstill.",
            "Flange gasket on the purge line replaced, leak test passed with nitrogen at 30 bar.",
            "SGT-300",
            "closed",
            "2013-09-05",
        ),
        (
            "GT-0110",
            "HMI freezes, trends not updating",
            "Operator station stops refreshing about once a day, needs a reboot.",
            "Archive disk was full. Moved the old trends to the server, retention now 90 days.",
            "SGT-700",
            "closed",
            "2014-02-27",
        ),
        (
            "GT-0111",
            "Anti icing valve fails to open",
            "",
            "Solenoid coil open circuit, coil replaced.",
            "SGT-400",
            "closed",
            "2012-12-03",
        ),
        (
            "GT-0112",
            "<script>alert('subject')</script> spread \"high\" & <b>bold</b>",
            "Operator pasted <img src=x onerror=alert(1)> here, exhaust spread 55 deg C.",
            "</div><script>alert('solution')</script> Filter the log export.",
            "SGT-300",
            "closed",
            "2013-05-17",
        ),
    ]
    return [Ticket(*row[:6], created=datetime.fromisoformat(row[6])) for row in rows]


def jobs() -> list[Job]:
    """A running job with two tickets set aside, and a finished one."""
    return [
        Job(
            id="7f3a",
            kind=JobKind.REINDEX,
            bundle_id="b2c4d6e8f0a1",
            state=JobState.RUNNING,
            total=949,
            done=320,
            created=datetime(2014, 9, 1, 8, 0),
            started=datetime(2014, 9, 1, 8, 0, 10),
            heartbeat=datetime(2014, 9, 1, 8, 0, 18),
            errors={"GT-0107": "The text is longer than can be encoded."},
        ),
        Job(
            id="1b9e",
            kind=JobKind.REINDEX,
            bundle_id="a1b2c3d4e5f6",
            state=JobState.DONE,
            total=900,
            done=900,
            created=datetime(2014, 8, 1, 8, 0),
            started=datetime(2014, 8, 1, 8, 0),
            heartbeat=datetime(2014, 8, 1, 8, 0, 30),
            finished=datetime(2014, 8, 1, 8, 0, 30),
        ),
    ]
