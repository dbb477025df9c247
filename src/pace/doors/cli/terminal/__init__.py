"""The interactive screen of `pace chat`: everything between a person's keys and the companion."""
