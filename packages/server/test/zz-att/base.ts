import { createTool } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { runServer } from "@jaf/server";
import { MemoryUserMemory } from "@jaf/user-memory";
import * as z from "zod";
export const gate = { release: () => {}, wait: Promise.resolve() as Promise<void> };
export const block = () => { gate.wait = new Promise<void>((r) => { gate.release = r; }); };
export const errors: any[] = [];
export async function start(model: any, options: any = {}) {
  const agent: any = { name: "assistant", instructions: "Help.", tools: [
    createTool({ name: "slow", description: "s", parameters: z.object({}), execute: async () => { await gate.wait; return "slow done"; } }),
    createTool({ name: "remove", description: "r", parameters: z.object({ what: z.string() }), needsApproval: true, execute: async ({ what }: any) => `${what} removed` }),
  ]};
  const provider = createInMemoryProvider(); const turnLog = createInMemoryTurnLog(); const userMemory = new MemoryUserMemory();
  const server = await runServer([agent], { modelProvider: model } as any, { port: 0, defaultMemoryProvider: provider, turnLog, userMemory,
    onError: (e: any, r: any) => { errors.push([e, r]); },
    authenticate: ({ headers }: Request) => { const u = headers.get("x-user"); return u === null ? null : { userId: u }; }, limits: { requestsPerMinute: Infinity, turnsPerUser: Infinity, streamsPerUser: Infinity }, ...options } as any);
  const send = (u: string, path: string, init: any = {}) => fetch(server.url + path, { ...init, headers: { "x-user": u, "content-type": "application/json", ...init.headers } });
  const ask = async (u: string, method: string, path: string, body?: any, headers: any = {}) => { const t0 = performance.now(); const r = await send(u, path, { method, headers, ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }) }); const text = await r.text(); let b: any = text; try { b = JSON.parse(text); } catch {} return { status: r.status, body: b, ms: performance.now() - t0, headers: r.headers }; };
  return { ...server, provider, turnLog, userMemory, send, ask };
}
