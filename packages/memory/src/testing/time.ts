import { setImmediate, setTimeout as sleep } from "node:timers/promises";

/** Waits until the clocks of this process and of any store have moved on. */
export const nextInstant = (): Promise<void> => sleep(5);

/** Lets everything else that waits in this process have its turn. */
export const nextTurn = (): Promise<void> => setImmediate();

export { sleep };
