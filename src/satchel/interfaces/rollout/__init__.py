"""The rollout of Satchel into the memory slot of OpenClaw, in three stages that can be taken back."""
