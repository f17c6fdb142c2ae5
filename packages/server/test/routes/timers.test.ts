import { runInbox } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryInbox, createInMemoryTimers, type RichMessage, type Timers } from "@jaf/memory";
import { timerTools } from "@jaf/server";
import { describe, expect, it } from "vitest";
import { createJafClient } from "../../src/client/index.ts";
import { createTestQueue } from "../support/test-queue.ts";
import { assistant, saying, startTestServer } from "../support/test-server.ts";

const LATER = "2090-01-01T09:00:00.000Z";

async function startWithTimers(
  modelProvider: Parameters<typeof startTestServer>[0] = saying("Hello."),
  agents = [assistant],
  timers = createInMemoryTimers(),
) {
  const inbox = createInMemoryInbox();
  const memory = { inbox: runInbox(inbox) };
  const turns = { recoverMs: 20, pollMs: 10 };
  const server = await startTestServer(modelProvider, { timers, turns }, agents, { memory });
  const as = (user: string) => createJafClient({ baseUrl: server.url, headers: { "x-user": user } });
  const messages = async (conversationId: string): Promise<readonly RichMessage[]> => {
    const stored = await server.provider.getConversation(conversationId);
    return (stored.success && stored.data?.messages) || [];
  };
  return { server, timers, inbox, as, client: as("ada"), messages };
}

describe("the routes of timers", () => {
  it("set, replace, list and remove timers", async () => {
    const { client } = await startWithTimers();
    const { conversationId } = await client.ask({ message: "Hi." });
    const timer = { conversationId, timerId: "a/b %:…", message: "Drink!", agentName: "assistant" };
    const once = await client.timers.set(conversationId, timer.timerId, { message: "Eat!", at: LATER });
    expect(once).toEqual({ timer: { ...timer, message: "Eat!", at: LATER } });
    const schedule = { cron: "0 9 * * 1-5", timeZone: "Europe/Paris" };
    await client.timers.set(conversationId, timer.timerId, { message: "Drink!", ...schedule });
    const { timers } = await client.timers.list();
    expect(timers).toMatchObject([{ ...timer, ...schedule }]);
    expect(await client.timers.list({ conversationId })).toEqual({ timers });
    expect(await client.timers.remove(conversationId, timer.timerId)).toEqual({ removed: true });
    expect(await client.timers.remove(conversationId, timer.timerId)).toEqual({ removed: false });
    expect(await client.timers.list()).toEqual({ timers: [] });
  });

  it("refuse times that aren't one, a second or another agent", async () => {
    const { server, client } = await startWithTimers();
    const { conversationId } = await client.ask({ message: "Hi." });
    const refused = [
      {},
      { at: LATER, cron: "0 9 * * *" },
      { at: LATER, timeZone: "UTC" },
      { at: "tomorrow" },
      { at: "2090-01-01T09:00:00" },
      { cron: "*/5 * * * * *" },
      { cron: "0 9 * * *", timeZone: "Mars/Base" },
      { at: LATER, agentName: "nobody" },
      { at: LATER, userId: "eve" },
    ];
    for (const time of refused) {
      const path = `/conversations/${conversationId}/timers/t`;
      const answer = await server.ask("ada", "PUT", path, { message: "Boo.", ...time });
      expect(answer, JSON.stringify(time)).toMatchObject({
        status: 400,
        body: { error: { code: "invalid-request" } },
      });
    }
    expect(await client.timers.list()).toEqual({ timers: [] });
  });

  it("refuse more than 1,000 timers of a user, of all conversations", async () => {
    const { timers, client } = await startWithTimers();
    const { conversationId } = await client.ask({ message: "Hi." });
    const timer = { conversationId: "c", userId: "ada", at: new Date(LATER), content: "{}" };
    for (let count = 0; count < 1_000; count++) await timers.set({ ...timer, timerId: `t${count}` });
    await expect(
      client.timers.set(conversationId, "t", { message: "Boo.", at: LATER }),
    ).rejects.toMatchObject({ code: "invalid-request", message: expect.stringContaining("maximum number") });
  });

  it("refuse more than 100 schedules of a user", async () => {
    const { timers, client } = await startWithTimers();
    const { conversationId } = await client.ask({ message: "Hi." });
    const often = { message: "Boo.", cron: "* * * * *" };
    await client.timers.set(conversationId, "mine", often);
    const [mine] = await timers.find({ userId: "ada" }).then((found) => (found.success ? found.data : []));
    const timer = { conversationId: "c", userId: "ada", at: new Date(LATER), content: mine?.content ?? "" };
    for (let count = 0; count < 99; count++) await timers.set({ ...timer, timerId: `t${count}` });
    await expect(client.timers.set(conversationId, "t", often)).rejects.toMatchObject({
      code: "invalid-request",
      message: expect.stringContaining("100 schedules"),
    });
    await client.timers.set(conversationId, "once", { message: "Boo.", at: LATER });
    await client.timers.set(conversationId, "mine", { ...often, message: "Another." });
  });

  it("leave no timer in a conversation that is deleted meanwhile", async () => {
    const inner = createInMemoryTimers();
    let erase = async (): Promise<unknown> => undefined;
    const timers: Timers = {
      ...inner,
      set: async (timer) => {
        await erase();
        return inner.set(timer);
      },
    };
    const { client } = await startWithTimers(saying("Hello."), [assistant], timers);
    const { conversationId } = await client.ask({ message: "Hi." });
    erase = () => client.conversations.delete(conversationId);
    await expect(
      client.timers.set(conversationId, "t", { message: "Boo.", at: LATER }),
    ).rejects.toMatchObject({ code: "not-found" });
    expect(await timers.find({ userId: "ada" })).toMatchObject({ data: [] });
  });

  it("are another user's secret", async () => {
    const { client, as } = await startWithTimers();
    const { conversationId } = await client.ask({ message: "Hi." });
    await client.timers.set(conversationId, "t", { message: "Drink!", at: LATER });
    const { timers } = as("eve");
    const notFound = { code: "not-found" };
    const boo = { message: "Boo.", at: LATER };
    await expect(timers.set(conversationId, "t", boo)).rejects.toMatchObject(notFound);
    await expect(timers.list({ conversationId })).rejects.toMatchObject(notFound);
    await expect(timers.remove(conversationId, "t")).rejects.toMatchObject(notFound);
    expect(await timers.list()).toEqual({ timers: [] });
    expect((await client.timers.list()).timers).toMatchObject([{ message: "Drink!" }]);
  });

  it("say that the server has no timers", async () => {
    const server = await startTestServer();
    for (const [method, path] of [
      ["PUT", "/conversations/c/timers/t"],
      ["GET", "/timers/pending"],
      ["GET", "/conversations/c/timers"],
      ["DELETE", "/conversations/c/timers/t"],
    ] as const) {
      const body = method === "PUT" ? { message: "Boo.", at: LATER } : undefined;
      const answer = await server.ask("ada", method, path, body);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "not-configured" } } });
    }
  });
});

it("timers are erased with their conversation, and with their user", async () => {
  const { client, timers } = await startWithTimers();
  const first = await client.ask({ message: "Hi." });
  const second = await client.ask({ message: "Hi." });
  for (const { conversationId } of [first, second])
    await client.timers.set(conversationId, "t", { message: "Drink!", at: LATER });
  await client.conversations.delete(first.conversationId);
  const { conversationId } = second;
  expect(await timers.find({ userId: "ada" })).toMatchObject({ data: [{ conversationId }] });
  await client.conversations.deleteAll();
  expect(await timers.find({ userId: "ada" })).toMatchObject({ data: [] });
});

describe("a turn in the background", () => {
  it("is answered at once, is listed while it runs, and can be followed and stopped", async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const model = createScriptedModel<unknown>(["Hello."]);
    const { client, as, server } = await startWithTimers({
      getCompletion: async (...request) => {
        await released;
        return model.getCompletion(...request);
      },
    });
    const answer = await server.ask("ada", "POST", "/chat", { message: "Hi.", background: true });
    expect(answer.status).toBe(202);
    const { conversationId, turnId } = answer.body.data;
    const running = { conversationId, turnId, state: "running", startedAt: expect.any(String) };
    expect(await client.openTurns()).toEqual({ turns: [running] });
    expect(await client.openTurns({ state: "waiting" })).toEqual({ turns: [] });
    expect(await as("eve").openTurns()).toEqual({ turns: [] });
    release();
    const types: string[] = [];
    for await (const { event } of client.conversations.follow(conversationId, { turnId }))
      types.push(event.type);
    expect(types.at(-1)).toBe("turn_end");
    expect(await client.openTurns()).toEqual({ turns: [] });
  });

  it("that waits for the user is listed, too", async () => {
    const removing = { toolCalls: [{ name: "remove", arguments: { what: "it" } }] };
    const { client } = await startWithTimers(createScriptedModel([removing]));
    const { conversationId, turnId } = await client.start({ message: "Remove it." });
    const waiting = { conversationId, turnId, state: "waiting", startedAt: expect.any(String) };
    await expect.poll(() => client.openTurns({ state: "waiting" })).toEqual({ turns: [waiting] });
  });

  it("has a lower priority in a queue", async () => {
    const { queue, submitted } = createTestQueue();
    const server = await startTestServer(saying("Hello."), { queue, concurrency: 0 });
    for (const background of [true, false]) {
      const accept = background ? "application/json" : "text/event-stream";
      const body = JSON.stringify({ message: "Hi.", background });
      const { body: events } = await server.send("ada", "/chat", {
        ...{ method: "POST", headers: { accept }, body },
      });
      await events?.cancel();
    }
    await expect.poll(() => submitted.map(({ submission }) => submission.priority)).toEqual([-1, 0]);
  });

  it("is no stream", async () => {
    const { server } = await startWithTimers();
    const both = { message: "Hi.", background: true, stream: true };
    expect(await server.ask("ada", "POST", "/chat", both)).toMatchObject({ status: 400 });
  });
});

describe("the timer tools", () => {
  const agent = { ...assistant, tools: timerTools() };
  const calling = (...calls: readonly (readonly [string, object])[]) => ({
    toolCalls: calls.map(([name, args], index) => ({ id: `call_${index}`, name, arguments: args })),
  });
  const results = (messages: readonly RichMessage[]) =>
    messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));

  it("set a timer for the user and the conversation of the turn, whose message begins a turn", async () => {
    const soon = { message: "The tea is ready.", inMinutes: 1 };
    const model = createScriptedModel<unknown>([calling(["set_timer", soon]), "I will tell you."]);
    const { client, timers, messages } = await startWithTimers(model, [agent]);
    const before = Date.now();
    const { conversationId } = await client.ask({ message: "Remind me of the tea." });
    const [set] = (await client.timers.list()).timers;
    expect(set).toMatchObject({ conversationId, message: soon.message, agentName: "assistant" });
    expect(new Date(set?.at ?? 0).getTime()).toBeGreaterThanOrEqual(before + 60_000);
    expect(results(await messages(conversationId))).toEqual([
      `Set: - timer "${set?.timerId}", due at ${set?.at} (once): "The tea is ready."`,
    ]);
    const found = await timers.find({ userId: "ada" });
    expect(found.success && JSON.parse(found.data[0]?.content ?? "")).toMatchObject({
      identity: { userId: "ada" },
    });
  });

  it("list and cancel timers", async () => {
    const model = createScriptedModel<unknown>([
      "Hello.",
      "Hello.",
      calling(["list_timers", {}]),
      calling(["cancel_timer", { timerId: "mine" }], ["cancel_timer", { timerId: "others" }]),
      "Done.",
    ]);
    const { client, messages } = await startWithTimers(model, [agent]);
    const other = await client.ask({ message: "Hi." });
    const { conversationId } = await client.ask({ message: "Hi." });
    const schedule = { message: "Drink!", cron: "0 9 1 1 *" };
    await client.timers.set(conversationId, "mine", schedule);
    await client.timers.set(other.conversationId, "others", schedule);
    await client.ask({ conversationId, message: "Cancel all." });
    const [listed, ...cancelled] = results(await messages(conversationId));
    expect(listed).toMatch(
      /^It is now .*\n- timer "mine", due at .*-01-01T09:00:00.000Z \("0 9 1 1 \*", UTC\): "Drink!"$/,
    );
    expect(cancelled).toEqual(["Cancelled.", "There is no timer with this id."]);
    expect((await client.timers.list()).timers).toMatchObject([{ timerId: "others" }]);
  });

  it.each([
    [{ at: LATER, cron: "0 9 * * *" }, "exactly one of"],
    [{}, "exactly one of"],
    [{ at: "2020-01-01T00:00:00Z" }, "in the past. It is now 2"],
    [{ at: "2090-01-01T00:00:00" }, "with its offset"],
    [{ at: LATER, timeZone: "UTC" }, "timeZone only belongs to cron"],
    [{ cron: "* * * * * *" }, "five fields"],
    [{ cron: "0 9 * * *", timeZone: "Mars" }, "IANA"],
    [{ inMinutes: 0 }, "inMinutes"],
    [{ at: LATER, conversationId: "other" }, "conversationId"],
  ])("tell the model what is wrong, %j", async (time, why) => {
    const model = createScriptedModel<unknown>([
      calling(["set_timer", { message: "Boo.", ...time }]),
      "I can't.",
    ]);
    const { client, messages } = await startWithTimers(model, [agent]);
    const { conversationId } = await client.ask({ message: "Hi." });
    expect(results(await messages(conversationId)).join()).toContain(why);
    expect(await client.timers.list()).toEqual({ timers: [] });
  });

  it("set at most 20 timers, also in parallel", async () => {
    const many = Array.from({ length: 25 }, () => ["set_timer", { message: "Boo.", at: LATER }] as const);
    const model = createScriptedModel<unknown>([calling(...many), "Done."]);
    const { client, messages } = await startWithTimers(model, [agent]);
    const { conversationId } = await client.ask({ message: "Hi." });
    expect((await client.timers.list()).timers).toHaveLength(20);
    const refused = results(await messages(conversationId)).filter((text) =>
      text.includes("Cancel one first"),
    );
    expect(refused).toHaveLength(5);
  });

  it("say that the server has no timers", async () => {
    const model = createScriptedModel<unknown>([calling(["list_timers", {}]), "I can't."]);
    const server = await startTestServer(model, { onError: () => {} }, [agent]);
    const answer = await server.ask("ada", "POST", "/chat", { message: "Hi." });
    expect(answer.body.data).toMatchObject({ status: "completed", text: "I can't." });
  });
});
