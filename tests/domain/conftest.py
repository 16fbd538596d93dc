"""How the properties of the domain are tried."""

from hypothesis import settings

# Derandomised: the same examples at every run, so that a red build means a change and not chance. No deadline, because
# a machine under load is no fault of the code; no database, because nothing is remembered between runs.
settings.register_profile("domain", derandomize=True, deadline=None, database=None, max_examples=25)
settings.load_profile("domain")
