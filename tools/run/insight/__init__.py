"""Looking into programs: what they are compiled to, what takes how long, what ops compute."""
