import { describeTimersConformance } from "@jaf/memory/testing";
import pg from "pg";
import { afterAll, afterEach, describe, expect, inject, it, vi } from "vitest";
import { createPostgresTimers } from "../../src/index.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";
import { createTimerStores } from "../support/timer-stores.ts";

const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 10 });
const schemas: string[] = [];
const schemaOf = (): string => {
  const schema = freshSchema();
  schemas.push(schema);
  return schema;
};

afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  await pool.end();
  await dropSchemas(schemas);
});

const createTimers = createTimerStores({
  freshSchema: schemaOf,
  open: async (schema) => ({ timers: await createPostgresTimers({ schema }, pool) }),
  runSql: (sql) => pool.query(sql),
});

describeTimersConformance({ name: "postgres, a pool", createTimers });

describe("timers in Postgres", () => {
  const timer = { conversationId: "c", timerId: "t", userId: "u", content: "x" };

  it("are due by the clock of the database", async () => {
    const timers = await createPostgresTimers({ schema: schemaOf() }, pool);
    await timers.set({ ...timer, at: new Date(Date.now() + 3_600_000) });
    vi.useFakeTimers({ now: Date.now() + 7_200_000, toFake: ["Date"] });
    expect(await timers.due()).toEqual({ success: true, data: [] });
    await timers.set({ ...timer, at: new Date(Date.now() - 10_800_000) });
    expect(await timers.due()).toMatchObject({ data: [{ timerId: "t" }] });
  });

  it("keep the limit of a user although another one's timers are replaced at the same time", async () => {
    const timers = await createPostgresTimers({ schema: schemaOf() }, pool);
    const at = new Date();
    const names = Array.from({ length: 40 }, (_, number) => ({ ...timer, timerId: `${number}`, at }));
    for (const name of names) await timers.set({ ...name, userId: "v" });
    const fill = Array.from({ length: 985 }, (_, number) => ({ ...timer, timerId: `u ${number}`, at }));
    for (const one of fill) await timers.set(one);
    // With 15 free places, these often choose the same one.
    const answers = await Promise.all(names.map((name) => timers.set(name)));
    expect(answers.filter((answer) => answer.success && answer.data === "set")).toHaveLength(15);
    expect(answers.filter((answer) => answer.success && answer.data === "full")).toHaveLength(25);
    expect(await timers.find({ userId: "v", limit: 2_000 })).toMatchObject({ data: { length: 25 } });
    expect(await timers.find({ userId: "u", limit: 2_000 })).toMatchObject({ data: { length: 1_000 } });
  });

  it("set in a transaction of the application appear only if it is committed", async () => {
    const schema = schemaOf();
    const timers = await createPostgresTimers({ schema }, pool);
    const client = new pg.Client(inject("pgUrl"));
    await client.connect();
    const own = await createPostgresTimers({ schema }, client);
    const at = new Date(1_000);
    const found = async () => {
      const answer = await timers.find({ userId: "u" });
      return answer.success ? answer.data.map(({ timerId }) => timerId) : answer.error;
    };
    await client.query("BEGIN");
    await own.set({ ...timer, at });
    const setMeanwhile = timers.set({ ...timer, timerId: "other", at });
    await client.query("ROLLBACK");
    expect(await setMeanwhile).toEqual({ success: true, data: "set" });
    expect(await found()).toEqual(["other"]);
    await client.query("BEGIN");
    await own.set({ ...timer, at: new Date(0) });
    expect(await found()).toEqual(["other"]);
    await client.query("COMMIT");
    expect(await found()).toEqual(["t", "other"]);
    await client.end();
  });

  it("are refused without a client", async () => {
    await expect(createPostgresTimers({}, undefined as never)).rejects.toThrow(TypeError);
  });
});
