"""What the schema cannot say, told to schemathesis: only served paths, one key in header and body, a known tenant."""

import schemathesis

SERVED = {
    "/v1/reservations": {"post"},
    "/v1/reservations/{reservation_id}": {"get"},
    "/v1/reservations/{reservation_id}/extend": {"post"},
    "/v1/reservations/{reservation_id}/commit": {"post"},
    "/v1/reservations/{reservation_id}/release": {"post"},
    "/v1/events": {"post"},
}
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Leaves out what is not served, so that nothing is expected there."""
    paths = {path: raw_schema["paths"][path] for path in SERVED}
    for path, item in paths.items():
        paths[path] = {name: part for name, part in item.items() if name not in METHODS - SERVED[path]}
        for operation in paths[path].values():
            if isinstance(operation, dict):
                # The operators' key belongs to a plane that is not served.
                operation["security"] = [{"ApiKeyAuth": []}]
    raw_schema["paths"] = paths


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes valid requests consistent: what is invalid by the schema stays as it is."""
    if not case.meta or case.meta.generation.mode.name != "POSITIVE" or not isinstance(case.body, dict):
        return
    key = case.body.get("idempotency_key")
    if "X-Idempotency-Key" in case.headers and isinstance(key, str):
        # Keys that no header can carry stand in the body alone.
        if key.isascii() and key.isprintable() and key.strip() == key:
            case.headers["X-Idempotency-Key"] = key
        else:
            del case.headers["X-Idempotency-Key"]
    subject = case.body.get("subject")
    if isinstance(subject, dict) and "tenant" in subject:
        subject["tenant"] = "demo"
    # A commit must be in the unit of its reservation.
    for amount in (case.body.get("estimate"), case.body.get("actual")):
        if isinstance(amount, dict) and "unit" in amount:
            amount["unit"] = "TOKENS"
