import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import { createPostgresTurnLog } from "../../src/index.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schema = freshSchema();
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 10 });
afterAll(async () => {
  await pool.end();
  await dropSchemas([schema]);
});
const get = <T>(r: { success: true; data: T } | { success: false; error: unknown }): T => {
  if (!r.success) throw new Error(JSON.stringify(r.error));
  return r.data;
};
describe("x", () => {
  it("tries", async () => {
    const log = await createPostgresTurnLog(pool, { schema });
    const turn = { conversationId: "c", userId: "u", turnId: "t", request: "r", leaseSeconds: 1.5, keepSeconds: 100 };
    const b = get(await log.begin(turn));
    console.log(b);
    console.log(get(await log.begin({ ...turn, turnId: "t2" })));
    if (!b.begun) throw new Error("no");
    console.log(get(await log.append({ writer: b.writer, first: 0, events: ["a", "b", "c"] })));
    console.log(get(await log.append({ writer: b.writer, first: 1, events: ["b", "c", "d"] })));
    console.log(get(await log.renew(b.writer)));
    console.log(await log.append({ writer: b.writer, first: 5, events: ["b", "c", "d"] }));
    console.log(get(await log.readAll([{ conversationId: "c", from: 1, limit: 2 }, { conversationId: "d" }, { conversationId: "c", turnId: "t", from: 3 }])));
    console.log(get(await log.requestStop(b.writer)), get(await log.abandoned(10)), get(await log.find({ userId: "u", state: "running" })));
    const end = { writer: b.writer, first: 4, events: ["e"], end: { state: "waiting", record: "rec", eventSeconds: 10, recordSeconds: 20 } } as const;
    console.log(get(await log.append(end)), get(await log.append(end)), get(await log.renew(b.writer)));
    console.log(get(await log.find({ userId: "u", state: "waiting" })), get(await log.turnsOf("c")));
    const b2 = get(await log.begin({ ...turn, turnId: "t2" }));
    console.log(b2, get(await log.turnsOf("c")), await log.begin(turn));
    if (!b2.begun) throw new Error("no");
    console.log(get(await log.takeOver(b2.writer)), get(await log.release(b2.writer)), get(await log.abandoned(10)), get(await log.takeOver(b2.writer)), get(await log.renew(b2.writer)));
    console.log((await runSql(`select * from "${schema}".conversations_turns`)).rows);
    console.log(get(await log.deleteConversation("c")), get(await log.deleteUser("u")), await log.close(), await log.close());
  });
});
