import { createRunState, createTool } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { openItems } from "../../../../test/fakes/openai-responses-steps.ts";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import { createOpenAIResponsesProvider } from "../../src/index.ts";
import { customCall, functionCall, message, origin, reasoning } from "./responses.ts";
import { configOf } from "./setup.ts";

/** Possible items of a model, without ids, which are assigned in order. */
const kind = fc.constantFrom(
  ...(["text", "two texts", "call", "custom call", "search", "image", "list"] as const),
  ...(["shell", "local shell", "computer", "approval", "program", "hosted shell"] as const),
);
const thought = fc.constantFrom("none", "encrypted", "bare");
const response = fc.array(fc.record({ kind, thought }), { minLength: 1, maxLength: 5 });

/** Possible changes of a stored reply: none, a missing part, another order of parts, another model. */
const change = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ type: "none" } as const) },
  fc.record({ type: fc.constant("without" as const), at: fc.nat(6) }),
  fc.constant({ type: "reversed" } as const),
  fc.constant({ type: "foreign" } as const),
  fc.constant({ type: "twice" } as const),
);
const replies = fc.array(fc.record({ response, change }), { minLength: 1, maxLength: 4 });

type Reply = (typeof replies extends fc.Arbitrary<infer T> ? T : never)[number];

const said = (id: number, texts: readonly string[]): JsonObject =>
  message("", {
    id: `msg_${id}`,
    content: texts.map((text) => ({ type: "output_text", text, annotations: [], logprobs: [] })),
  });

function itemsOf(what: Reply["response"][number]["kind"], id: number): readonly JsonObject[] {
  const call = { status: "completed", call_id: `call_${id}` };
  const action = { commands: ["ls"], max_output_length: 100 };
  switch (what) {
    case "hosted shell": {
      const environment = { type: "container_reference", container_id: "cntr_1" };
      const output = [{ stdout: "", stderr: "", outcome: { type: "timeout" } }];
      return [
        { id: `sh_${id}`, type: "shell_call", ...call, action, environment },
        { id: `sho_${id}`, type: "shell_call_output", ...call, max_output_length: 100, output },
      ];
    }
    case "program": {
      const caller = { type: "program", caller_id: `prog_call_${id}` };
      return [
        { id: `prog_${id}`, type: "program", call_id: caller.caller_id, code: "…", fingerprint: "fp" },
        functionCall(`call_${id}`, "look", { id }, { id: `fc_${id}`, caller }),
      ];
    }
    default:
      return [itemOf(what, id, call)];
  }
}

type OneItem = Exclude<Reply["response"][number]["kind"], "hosted shell" | "program">;

function itemOf(what: OneItem, id: number, call: JsonObject): JsonObject {
  switch (what) {
    case "shell":
      return {
        id: `sh_${id}`,
        type: "shell_call",
        ...call,
        action: { commands: ["ls"], max_output_length: 9 },
      };
    case "local shell":
      return {
        id: `lsh_${id}`,
        type: "local_shell_call",
        ...call,
        action: { type: "exec", command: ["ls"] },
      };
    case "computer":
      return {
        ...{ id: `cu_${id}`, type: "computer_call", ...call, action: { type: "screenshot" } },
        pending_safety_checks: [{ id: "sc_1" }],
      };
    case "approval":
      return {
        ...{ id: `mcpr_${id}`, type: "mcp_approval_request", server_label: "docs" },
        ...{ name: "find", arguments: "{}" },
      };
    case "text":
      return said(id, [`Text ${id}.`]);
    case "two texts":
      return said(id, [`One ${id}.`, `Two ${id}.`]);
    case "call":
      return functionCall(`call_${id}`, "look", { id }, { id: `fc_${id}` });
    case "custom call":
      return { ...customCall(`call_${id}`, "look", `${id}`), id: `ctc_${id}` };
    case "search":
      return {
        id: `ws_${id}`,
        type: "web_search_call",
        status: "completed",
        action: { type: "search", query: "q" },
      };
    case "image":
      return { id: `ig_${id}`, type: "image_generation_call", status: "completed", result: "iVBORw==" };
    case "list":
      return { id: `mcpl_${id}`, type: "mcp_list_tools", server_label: "docs", tools: [] };
  }
}

function changed(stored: RichMessage, what: Reply["change"]): readonly RichMessage[] {
  const { content } = stored;
  if (what.type === "foreign") return [{ ...stored, origin: { ...origin, model: "another" } }];
  if (what.type === "twice") return [stored, stored];
  if (what.type === "none" || !Array.isArray(content)) return [stored];
  return [
    {
      ...stored,
      content:
        what.type === "reversed"
          ? content.toReversed()
          : content.filter((_: unknown, index: number) => index !== what.at % content.length),
    },
  ];
}

const answered = (stored: RichMessage): readonly RichMessage[] => [
  stored,
  ...(stored.tool_calls ?? []).map(
    ({ id }): RichMessage => ({ role: "tool", tool_call_id: id, content: "done" }),
  ),
];

const toolOf = (name: string) =>
  createTool({
    name,
    description: "d",
    parameters: z.looseObject({}),
    needsApproval: () => false,
    execute: async () => "done",
  });

/** A strict service that answers with these items. */
function openModel() {
  const service = openItems();
  let output: readonly JsonObject[] = [];
  let body: JsonObject = {};
  const provider = createOpenAIResponsesProvider({
    apiKey: "k",
    model: origin.model,
    fetch: async (_, init) => {
      body = JSON.parse(String(init?.body));
      service.check(body, false);
      service.gave(body, output);
      return Response.json({ id: "resp_1", status: "completed", output });
    },
  });
  const { config } = configOf(provider, { tools: ["shell", "local_shell", "computer"].map(toolOf) });
  const [agent] = config.agentRegistry.values();
  const ask = async (messages: readonly RichMessage[], items: readonly JsonObject[]) => {
    output = items;
    const state = { ...createRunState({ agentName: "helper", context: {} }), messages: messages as never };
    const given = await provider.getCompletion(state, agent as never, config);
    return { role: "assistant", ...given.message, origin: given.origin } as RichMessage;
  };
  return { ask, input: () => body["input"] as readonly JsonObject[] };
}

async function play(generated: readonly Reply[]) {
  const model = openModel();
  const messages: RichMessage[] = [{ role: "user", content: "Hi" }];
  const whole: JsonObject[] = [];
  let next = 0;
  for (const { response, change } of generated) {
    const items = response.flatMap(({ kind, thought }) => {
      const id = next++;
      const bare = thought === "bare" ? { encrypted_content: null } : {};
      const items = itemsOf(kind, id);
      return thought === "none" ? items : [reasoning(`rs_${id}`, ["Hm."], bare), ...items];
    });
    const stored = await model.ask(messages, items);
    messages.push(...changed(stored, change).flatMap(answered), { role: "user", content: "And?" });
    whole.push(...items);
  }
  await model.ask(messages, [message("Bye.", { id: "msg_last" })]);
  return { input: model.input(), whole };
}

export function describeAnyResponses(numRuns: number): void {
  describe("any history with responses", () => {
    it("is accepted by the service after any change", async () => {
      await fc.assert(
        fc.asyncProperty(replies, async (generated) => void (await play(generated))),
        { numRuns },
      );
    });

    it("is sent back item by item unchanged if nothing changed", async () => {
      const untouched = fc.array(
        fc.record({
          response: fc.array(
            fc.record({ kind, thought: fc.constantFrom("none" as const, "encrypted" as const) }),
            {
              minLength: 1,
              maxLength: 5,
            },
          ),
          change: fc.constant({ type: "none" } as const),
        }),
        { minLength: 1, maxLength: 4 },
      );
      await fc.assert(
        fc.asyncProperty(untouched, async (generated) => {
          const { input, whole } = await play(generated);
          const ids = new Set(whole.map(({ id }) => id));
          expect(input.filter(({ id }) => id !== undefined && ids.has(id))).toEqual(whole);
        }),
        { numRuns },
      );
    });
  });
}
