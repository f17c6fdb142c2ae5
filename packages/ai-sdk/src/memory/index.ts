export type { Chat } from "./chat.ts";
export { type KeptStreams, type KeptStreamsOptions, keepStreams, type StreamScope } from "./kept-streams.ts";
export type { AnyModelMessage } from "./model-format.ts";
export { loadModelMessages, storeModelMessages } from "./model-messages.ts";
export type { StoreUIMessagesOptions } from "./save-plan.ts";
export type { TakeMessageOptions } from "./taken.ts";
export { type Thread, type ThreadPage, type ThreadsQuery, threadsOf } from "./threads.ts";
export type { AnyUIMessage } from "./ui-format.ts";
export { loadUIMessages, storeUIMessages, takeMessage } from "./ui-messages.ts";
