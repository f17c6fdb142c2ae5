export type { Chat } from "./chat.ts";
export type { StoreUIMessagesOptions } from "./save-plan.ts";
export type { AnyUIMessage } from "./ui-format.ts";
export { loadUIMessages, storeUIMessages } from "./ui-messages.ts";
