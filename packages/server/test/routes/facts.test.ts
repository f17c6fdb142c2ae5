import { MemoryUserMemory, setUserMemory } from "@jaf/user-memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { saying, startTestServer } from "../support/test-server.ts";

describe("facts", () => {
  it("are remembered, listed, explained and forgotten", async () => {
    const { ask } = await startTestServer();
    const kept = await ask("ada", "POST", "/facts", { fact: "  Lives in Pune. ", tags: ["home"] });
    expect(kept).toMatchObject({
      ...{
        status: 200,
        body: { data: { fact: { fact: "Lives in Pune.", tags: ["home"], status: "active" } } },
      },
    });
    const { id } = kept.body.data.fact;
    await ask("ada", "POST", "/facts", { fact: "Likes tea." });
    const { facts } = (await ask("ada", "GET", "/facts")).body.data;
    expect(facts.map(({ fact }: { fact: string }) => fact)).toEqual(["Likes tea.", "Lives in Pune."]);
    expect((await ask("ada", "GET", "/facts?limit=1")).body.data.facts).toHaveLength(1);
    const plain = (await ask("ada", "GET", `/facts/${id}`)).body.data.explanation;
    expect(plain).toMatchObject({ fact: { id }, rank: null, reasons: [], recallable: true });
    const why = (await ask("ada", "GET", `/facts/${id}?query=Pune`)).body.data.explanation;
    expect(why).toMatchObject({ fact: { id }, rank: 1 });
    expect(why.reasons.length).toBeGreaterThan(0);
    expect((await ask("ada", "DELETE", `/facts/${id}`)).body.data).toMatchObject({ facts: 1 });
    for (const method of ["GET", "DELETE"])
      expect((await ask("ada", method, `/facts/${id}`)).status).toBe(404);
    expect((await ask("ada", "DELETE", "/facts")).body.data).toMatchObject({ facts: 1 });
    expect((await ask("ada", "GET", "/facts")).body.data.facts).toEqual([]);
  });

  it("are examined, and only chosen remedies are applied, once", async () => {
    const { ask, userMemory } = await startTestServer();
    for (const fact of [
      "Prefers dark mode in every editor",
      "In every editor, prefers dark mode",
      "ok thanks",
    ])
      await ask("ada", "POST", "/facts", { fact });
    await ask("bob", "POST", "/facts", { fact: "ok thanks" });
    const report = (await ask("ada", "GET", "/facts/health")).body.data;
    expect(report).toMatchObject({ stored: 3, inUse: 3, junkRate: 2 / 3, notExamined: ["unused"] });
    expect(report.findings.map(({ kind }: { kind: string }) => kind)).toEqual(["duplicate", "junk"]);
    const [duplicate, junk] = report.findings.map(({ id }: { id: string }) => id);
    const apply = async (...findings: readonly string[]) =>
      (await ask("ada", "POST", "/facts/health", { findings })).body.data.outcomes;
    expect(await apply(duplicate)).toEqual([{ findingId: duplicate, outcome: "applied" }]);
    expect(await apply(duplicate)).toEqual([{ findingId: duplicate, outcome: "changed" }]);
    expect(await userMemory.list("ada")).toHaveLength(3);
    expect(await apply(junk)).toEqual([{ findingId: junk, outcome: "applied" }]);
    expect(await userMemory.list("ada")).toHaveLength(2);
    expect(await userMemory.list("bob")).toHaveLength(1);
    const { data } = (await ask("ada", "GET", "/facts/health?asOf=2020-01-01T00:00:00Z")).body;
    expect(data).toMatchObject({ stored: 0, junkRate: 0, findings: [] });
    expect((await ask("ada", "GET", "/facts/health?asOf=soon")).status).toBe(400);
    expect((await ask("ada", "POST", "/facts/health", { findings: [] })).status).toBe(400);
  });

  it("in quarantine are approved or rejected once", async () => {
    const { ask, userMemory } = await startTestServer();
    const [good, bad] = [
      await userMemory.remember("ada", "Works at a bank.", { trust: "external" }),
      await userMemory.remember("ada", "Is the administrator.", { trust: "external" }),
    ];
    const list = async (status: string) => {
      const { facts } = (await ask("ada", "GET", `/facts?status=${status}`)).body.data;
      return facts.map(({ id }: { id: string }) => id);
    };
    expect(await list("quarantined")).toEqual([bad.id, good.id]);
    expect(await list("active")).toEqual([]);
    const review = (id: string, decision: string) => ask("ada", "POST", `/facts/${id}/review`, { decision });
    expect((await review(good.id, "approve")).body.data.fact).toMatchObject({
      id: good.id,
      status: "active",
    });
    expect((await review(bad.id, "reject")).body.data).toEqual({ rejected: true });
    expect([(await review(good.id, "approve")).status, (await review(bad.id, "reject")).status]).toEqual([
      404, 404,
    ]);
    expect(await list("quarantined")).toEqual([]);
    expect(await list("active")).toEqual([good.id]);
    expect((await review(good.id, "maybe")).status).toBe(400);
  });

  it.each([
    [{}],
    [{ fact: "" }],
    [{ fact: "  " }],
    [{ fact: 7 }],
    [{ fact: "x".repeat(2_001) }],
    [{ fact: "Likes tea.", trust: "confirmed" }],
    [{ fact: "Likes tea.", tags: "home" }],
    [{ fact: "Likes tea.", tags: [""] }],
  ])("refuse %j", async (body) => {
    const { ask } = await startTestServer();
    expect(await ask("ada", "POST", "/facts", body)).toMatchObject({
      ...{ status: 400, body: { error: { code: "invalid-request" } } },
    });
    expect((await ask("ada", "GET", "/facts")).body.data.facts).toEqual([]);
  });

  it.each(["status=all", "limit=0", "limit=1001"])("refuse ?%s", async (query) => {
    const { ask } = await startTestServer();
    expect((await ask("ada", "GET", `/facts?${query}`)).status).toBe(400);
  });

  it("are those of the process's user memory without one in the configuration", async () => {
    const facts = new MemoryUserMemory();
    await facts.remember("ada", "Works at a bank.");
    setUserMemory(facts);
    onTestFinished(() => setUserMemory(undefined));
    const { ask } = await startTestServer(saying("Hi."), { userMemory: undefined });
    expect((await ask("ada", "GET", "/facts")).body.data.facts).toMatchObject([{ fact: "Works at a bank." }]);
  });

  it("aren't those of a user memory that can't show them", async () => {
    const userMemory = { middlewareFor: () => [] };
    const { ask } = await startTestServer(saying("Hi."), { userMemory });
    expect((await ask("ada", "GET", "/facts")).body.error).toMatchObject({
      ...{ code: "not-configured", message: expect.stringContaining("userMemory of its run configuration") },
    });
  });

  it("are reported as not configured by a server without user memory", async () => {
    const { ask } = await startTestServer(saying("Hi."), { userMemory: undefined });
    for (const [method, path, body] of [
      ["GET", "/facts"],
      ["POST", "/facts", { fact: "Likes tea." }],
      ["DELETE", "/facts"],
      ["GET", "/facts/x"],
      ["GET", "/facts/health"],
      ["POST", "/facts/health", { findings: ["x"] }],
      ["DELETE", "/facts/x"],
      ["POST", "/facts/x/review", { decision: "approve" }],
    ] as const)
      expect(await ask("ada", method, path, body)).toMatchObject({
        ...{ status: 404, body: { error: { code: "not-configured" } } },
      });
    const { data } = (await ask("ada", "GET", "/memory/health")).body;
    expect(data).toMatchObject({ healthy: true });
    expect(data.userMemory).toBeUndefined();
  });
});
