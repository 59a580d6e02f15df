"""Install Satchel into agent hosts by editing their configuration, and take it out again."""
