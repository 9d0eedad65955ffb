"""What the stage scripts do. They are loaded when a stage runs: `--help` need not wait for them."""
