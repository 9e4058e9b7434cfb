"""The tools of the travel task, and what must hold when it is over."""

from __future__ import annotations

from dart_runtime.calls import Call, Reply, by_name
from dart_runtime.final import Final, stale

__all__ = ["TOOLS", "broken"]


def read_request(call: Call) -> Reply:
    """Publishes the days that are asked for."""
    first, last = call.read("market")["days"]
    request = {"trip": call.entity, "first": first, "last": last}
    return Reply(memory={"days": last - first}, writes={f"request/{call.entity}": request})


def search_flights(call: Call) -> Reply:
    """The prices of the flights on offer, and the days."""
    market = call.read("market")
    return Reply(memory={"offers": market["flights"], "days": market["days"]})


def choose_flight(call: Call) -> Reply:
    """The flight, by what was asked to count."""
    offers = call.memory["offers"]
    return Reply(memory={"price": min(offers) if call.args["by"] == "price" else offers[0]})


def hold_flight(call: Call) -> Reply:
    """Holds a seat, and publishes the flight."""
    first, last = call.memory["days"]
    flight = {"trip": call.entity, "price": call.memory["price"], "out": first, "back": last}
    return Reply(
        memory={"held": True},
        writes={f"flight/{call.entity}": flight},
        effects={"hold_seat": flight},
    )


def search_hotels(call: Call) -> Reply:
    """The prices of the hotels on offer, and the days."""
    market = call.read("market")
    return Reply(memory={"offers": market["hotels"], "days": market["days"]})


def choose_hotel(call: Call) -> Reply:
    """The hotel, by what was asked to count."""
    offers = call.memory["offers"]
    return Reply(memory={"price": min(offers) if call.args["by"] == "price" else offers[-1]})


def hold_hotel(call: Call) -> Reply:
    """Holds a room, and publishes the hotel."""
    first, last = call.memory["days"]
    hotel = {"trip": call.entity, "price": call.memory["price"], "nights": last - first}
    return Reply(
        memory={"held": True}, writes={f"hotel/{call.entity}": hotel}, effects={"hold_room": hotel}
    )


def merge_bookings(call: Call) -> Reply:
    """The bookings side by side."""
    flight, hotel = call.read(f"flight/{call.entity}"), call.read(f"hotel/{call.entity}")
    return Reply(
        memory={
            "out": flight["out"],
            "back": flight["back"],
            "nights": hotel["nights"],
            "prices": [flight["price"], hotel["price"] * hotel["nights"]],
        }
    )


def check_gaps(call: Call) -> Reply:
    """The nights without a bed."""
    away = call.memory["back"] - call.memory["out"]
    return Reply(memory={"gap": away - call.memory["nights"]})


def publish_dates(call: Call) -> Reply:
    """Publishes the dates of the trip."""
    dates = {"trip": call.entity, "from": call.memory["out"], "to": call.memory["back"]}
    return Reply(memory={"published": True}, writes={f"dates/{call.entity}": dates})


def capture_payment(call: Call) -> Reply:
    """Takes the money."""
    return Reply(memory={"paid": True}, effects={"capture": {"sum": sum(call.memory["prices"])}})


def price_trip(call: Call) -> Reply:
    """What the trip costs."""
    return Reply(memory={"total": sum(call.memory["prices"])})


def file_itinerary(call: Call) -> Reply:
    """Files the itinerary."""
    itinerary = {"trip": call.entity, "total": call.memory["total"]}
    return Reply(
        memory={"filed": True},
        writes={f"itinerary/{call.entity}": itinerary},
        effects={"file": itinerary},
    )


def read_dates(call: Call) -> Reply:
    """The dates, and which version of them this is."""
    key = f"dates/{call.entity}"
    return Reply(memory={"from": call.read(key)["from"], "dates": call.version(key)})


def fill_application(call: Call) -> Reply:
    """The application, for the chosen kind of visa."""
    return Reply(memory={"form": f"{call.args['kind']} from day {call.memory['from']}"})


def lodge_application(call: Call) -> Reply:
    """Lodges the application, which quotes the dates."""
    visa = {"form": call.memory["form"], "quotes": call.memory["dates"]}
    return Reply(
        writes={f"visa/{call.entity}": visa}, effects={"lodge": {"form": call.memory["form"]}}
    )


TOOLS = by_name(
    read_request,
    search_flights,
    choose_flight,
    hold_flight,
    search_hotels,
    choose_hotel,
    hold_hotel,
    merge_bookings,
    check_gaps,
    publish_dates,
    capture_payment,
    price_trip,
    file_itinerary,
    read_dates,
    fill_application,
    lodge_application,
)


def broken(final: Final) -> list[str]:
    """The visas for dates that are gone, impossible dates, and itineraries that are not filed."""
    found = stale(final, "visa/", "a version of the dates")
    for key, versions in sorted(final.store.items()):
        if key.startswith("dates/"):
            found += [
                f"{key} once gave impossible dates"
                for _, dates in versions
                if dates["from"] >= dates["to"]
            ]
    for instance, seen in sorted(final.instances.items()):
        if instance.skeleton == "itinerary" and not seen.memory.get("filed"):
            found.append(f"{instance} is over and is not filed")
    return found
