import { describeTurnLogConformance } from "@jaf/memory/testing";
import { afterAll } from "vitest";
import { createRedisProvider, createRedisTurnLog } from "../../src/index.ts";
import { type Opened, openers } from "./clients.ts";
import { freshPrefix } from "./stores.ts";

const TURN = {
  ...{ conversationId: "c", userId: "u", turnId: "t", request: "{}" },
  ...{ leaseSeconds: 1, keepSeconds: 1 },
};

/** Runs the kit of a turn log on clients of one kind, which are reused by all tests. */
export function describeTurnLogOn(name: keyof typeof openers): void {
  const opened: Opened[] = [];
  afterAll(async () => void (await Promise.all(opened.map(({ end }) => end()))));
  const connection = async (index: number): Promise<Opened> => {
    opened[index] ??= await openers[name]();
    return opened[index];
  };
  describeTurnLogConformance({
    name: `redis, ${name}`,
    createLog: async () => {
      const keyPrefix = freshPrefix();
      let used = 0;
      const connect = async () => createRedisTurnLog({ keyPrefix }, (await connection(used++)).client);
      const log = await connect();
      const { client } = await connection(0);
      const provider = await createRedisProvider({ keyPrefix }, client);
      const isShared = log.beginning?.(TURN).success === true;
      return { log, connect, ...(isShared ? { provider } : {}), dispose: async () => {} };
    },
  });
}
