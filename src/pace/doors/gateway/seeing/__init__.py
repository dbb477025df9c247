"""How a gateway is seen at work: logs, metrics, traces, all of numbers and ids, never of words."""
