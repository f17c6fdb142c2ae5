import { createSession } from "@jaf/openai-agents";
import { afterAll, expect, inject, it } from "vitest";
import { openPlace, type Place } from "./support/agent-sdks/place.ts";
import { type Application, startApplication } from "./support/agent-sdks/processes.ts";

const started: Application[] = [];
afterAll(() => Promise.all(started.map((application) => application.kill())));

const start = async (place: Place) => {
  const application = await startApplication(place);
  started.push(application);
  return application;
};

const placeOn = (backend: Place["backend"]): Place => ({
  backend,
  url: backend === "redis" ? inject("redisUrl") : inject("pgUrl"),
  namespace: `test_${crypto.randomUUID().replaceAll("-", "")}`,
});

it.each(["redis", "postgres"] as const)("keeps sessions of both SDKs in %s", async (backend) => {
  const place = placeOn(backend);
  const provider = await openPlace(place);
  const [first, second] = await Promise.all([start(place), start(place)]);
  // A restart: the first process dies, and another one goes on with the conversation.
  expect(await first.ask("ask", "Hello")).toBe("1 items");
  expect(await first.ask("interrupt", "Pay")).toBe("1");
  await first.kill();
  const third = await start(place);
  // Two processes want to resume the run that the first one left. One of them does.
  const resumed = await Promise.all([second.ask("resume"), third.ask("resume")]);
  expect(resumed.toSorted()).toEqual(["5 items", "taken"]);
  expect(await second.ask("ask", "And now?")).toBe("7 items");

  // 2 × 20 concurrent writers.
  await Promise.all([second.ask("addItems", "a"), third.ask("addItems", "b")]);
  const items = await createSession({ provider, conversationId: "conv-2", userId: "ada" }).getItems();
  expect(items).toHaveLength(120);
  const users = items.flatMap((item) => ("role" in item && item.role === "user" ? [item.content] : []));
  expect(new Set(users).size).toBe(40);
  expect(items.map((item) => ("role" in item ? 0 : item.type === "function_call" ? 1 : 2))).toEqual(
    items.map((_, index) => index % 3),
  );
  await Promise.all([second.ask("appendEntries", "a"), third.ask("appendEntries", "b")]);
  await second.ask("appendEntries", "a");
  // 40 entries with a uuid, each stored once, and 60 without.
  expect(await third.ask("loadEntries")).toBe("100");

  // The user is erased while a run is under way, and nothing comes back.
  expect(await second.ask("lateAsk", "Hi")).toBe("MemoryCallError");
  expect(await third.ask("loadEntries")).toBe("0");
  expect(await third.ask("appendEntries", "c")).toMatch(/^failed: MemoryCallError/);
  expect(await third.ask("resume")).toBe("taken");
  const left = await provider.getStats("ada");
  expect(left.success && left.data.totalConversations).toBe(0);
  await provider.close();
});
