"""Local server: leaderboard, comparison of detectors, episode replay and live monitor."""
