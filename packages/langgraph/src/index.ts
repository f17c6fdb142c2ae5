export { createCheckpointSaver } from "./checkpoints/saver.ts";
export type { MemorySettings } from "./settings.ts";
