export { createCheckpointSaver } from "./checkpoints/saver.ts";
export type { MemorySettings } from "./settings.ts";
export { createStore, type RankTexts, type StoreSettings } from "./store/store.ts";
