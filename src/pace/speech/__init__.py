"""Speech: what hears, what speaks, and what makes a text fit for the ear."""
