"""What CHLO's ops compute."""
