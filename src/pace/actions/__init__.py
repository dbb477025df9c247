"""What Pace can do besides talk, each thing behind the port `Action`."""
