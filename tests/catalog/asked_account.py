"""The operation type of the README's guide once it can be asked."""

from dataclasses import replace
from urllib.parse import quote, urlencode

from catalog.http_json import HttpJson
from makegood import Capability, Found, Look, Mode, Observed

from tests.catalog.close_account import CloseAccount


class AskedAccount(CloseAccount):
    """The guide's type with `observe`."""

    policy = replace(CloseAccount.policy, capability=Capability.BY_KEY, mode=Mode.CONFIRM)

    def observe(self, look: Look) -> Observed:
        """Ask what is there; whatever is no plain proof is Unknown."""
        account = quote(look.operation.entity.removeprefix("account/"), safe="")
        return HttpJson(self.destination).look(
            f"{self.remotes.url('crm')}/customers/{account}?{urlencode({'key': look.effect_key})}",
            asked=f"GET /customers/{account}",
            found=lambda shown: Found(remote_id=shown["id"], version=shown["version"], fields=shown["fields"]),
            absent_code="unknown_customer",  # the CRM's own: no other 404 says that it is not there
            bearer=self.remotes.secret("crm"),
            limit=look.time_limit,
        )
