"""Models: what answers a request. redgreen.gateway holds budgets, patience and the record."""
