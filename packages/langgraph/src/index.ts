export { createCheckpointSaver } from "./checkpoints/saver.ts";
export { fromBaseMessages, toBaseMessages } from "./messages/convert.ts";
export { type ChatHistorySettings, createChatHistory } from "./messages/history.ts";
export type { LangGraphSettings } from "./settings.ts";
export { createStore, type RankTexts, type StoreSettings } from "./store/store.ts";
