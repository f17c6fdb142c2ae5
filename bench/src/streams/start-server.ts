import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type * as z from "zod";
import { forkServer } from "../fork-server.ts";
import type { Lab } from "../lab.ts";
import {
  cpuSchema,
  memorySchema,
  type RawEvent,
  type ServerRequest,
  type ServerSetup,
} from "./server-messages.ts";

/** The measured server, in a process of its own. */
export interface MeasuredServer {
  readonly url: string;
  /** Sets the events of the route that Hono streams. */
  readonly record: (events: RawEvent[]) => void;
  readonly cpuMs: () => Promise<number>;
  /** Collects garbage first. */
  readonly heapBytes: () => Promise<number>;
  readonly stop: () => void;
}

export async function startServer(lab: Lab, setup: ServerSetup): Promise<MeasuredServer> {
  const program = new URL("server-process.ts", import.meta.url);
  const { child, url } = await forkServer(lab, program, setup, ["--expose-gc"]);
  return {
    url,
    record: (events) => tell(child, { type: "record", events }),
    cpuMs: async () => (await ask(child, { type: "cpu" }, cpuSchema)).cpuMs,
    heapBytes: async () => (await ask(child, { type: "memory" }, memorySchema)).heapBytes,
    stop: () => child.disconnect(),
  };
}

const tell = (child: ChildProcess, request: ServerRequest): void => void child.send(request);

async function ask<T>(child: ChildProcess, request: ServerRequest, schema: z.ZodType<T>): Promise<T> {
  tell(child, request);
  const [message]: unknown[] = await once(child, "message");
  return schema.parse(message);
}
