// The server writes times in UTC. Here they are shown in the reader's own zone, as long as a pointer
// rests on one also in UTC.

const PARTS = {
  day: { day: "numeric", month: "long", year: "numeric" },
  moment: { hour: "2-digit", minute: "2-digit", timeZoneName: "short" },
  clock: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
};

const written = (time, as) => new Intl.DateTimeFormat("en-GB", PARTS[as]).format(time);

export function showLocalTimes(piece) {
  for (const place of piece.querySelectorAll("time[data-local]")) {
    const time = new Date(place.dateTime);
    const as = place.dataset.local;
    place.textContent = as === "moment" ? `${written(time, "day")}, ${written(time, as)}` : written(time, as);
    place.title = `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  }
}

showLocalTimes(document);
