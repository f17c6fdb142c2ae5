export type { BullMQQueueOptions } from "./options.ts";
export { createBullMQQueue } from "./queue.ts";
