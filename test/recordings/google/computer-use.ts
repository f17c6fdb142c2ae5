import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";
import type { Json, Recording } from "../recording.ts";
import { model, replied, results, says } from "./replies.ts";

const documented = "https://ai.google.dev/gemini-api/docs/computer-use";
const computerUse = { environment: "ENVIRONMENT_BROWSER", excludedPredefinedFunctions: ["drag_and_drop"] };

const screenshot = "iVBORw0KGgo=";

const point = z.looseObject({ x: z.number(), y: z.number() });

/** Executes `click_at` of computer use; asks the user where Google demands it. */
const clickAt = createTool({
  name: "click_at",
  description: "Clicks",
  parameters: point.extend({ safety_decision: z.looseObject({ decision: z.string() }).optional() }),
  needsApproval: ({ safety_decision }) => safety_decision?.decision === "require_confirmation",
  execute: () => ({
    parts: [
      { type: "text", text: '{"url":"https://shop.example/cart"}' },
      { type: "media", mediaType: "image/png", data: screenshot },
    ],
  }),
});

/** What newer models call `click_at`. */
const click = { ...clickAt, schema: { ...clickAt.schema, name: "click" } };

const dragAndDrop = createTool({
  name: "drag_and_drop",
  description: "Drags, in the application's own way",
  parameters: point,
  execute: () => "Dragged.",
});

const agentWith = (...tools: readonly (typeof clickAt | typeof dragAndDrop)[]) => ({
  tools,
  modelConfig: { providerOptions: { google: { tools: [{ computerUse }] } } },
});

const clicks = (more: Json = {}): Json => ({
  functionCall: { name: "click_at", args: { x: 60, y: 100, ...more } },
});
const risky = clicks({
  safety_decision: { decision: "require_confirmation", explanation: "It buys something." },
});
const parts = [{ inlineData: { mimeType: "image/png", data: screenshot } }];
const url = "https://shop.example/cart";
const newer = { functionCall: { id: "c1", name: "click", args: { x: 60, y: 100 } }, thoughtSignature: "s-1" };
const said = { text: "I click." };
const done = says("Done.");
const unconfigured = { _tag: "ModelCallError", retryable: false, cause: { name: "GoogleError" } };

export const computer: readonly Recording[] = [
  {
    feature: "computer use",
    name: "the agent's tool executes a predefined function, and returns a screenshot",
    documented,
    model: "gemini-2.5-computer-use-preview-10-2025",
    agent: agentWith(clickAt, dragAndDrop),
    replies: [replied([[said], [clicks()]]), done],
    requested: { tools: [{ functionDeclarations: [{ name: "drag_and_drop" }] }, { computerUse }] },
    outcome: { status: "completed", output: "Done." },
    ran: [["click_at", { x: 60, y: 100 }]],
    sentBack: [
      model(said, clicks()),
      results({ name: "click_at", response: { url }, parts }),
      model({ text: "Done." }),
    ],
  },
  {
    feature: "computer use",
    name: "the agent's tool executes a function of newer models",
    documented,
    model: "gemini-3.5-flash",
    agent: agentWith(click),
    replies: [replied([[said], [newer]]), done],
    requested: { tools: [{ computerUse }] },
    outcome: { status: "completed", output: "Done." },
    ran: [["click", { x: 60, y: 100 }]],
    sentBack: [
      model(said, newer),
      results({ id: "c1", name: "click", response: { url }, parts }),
      model({ text: "Done." }),
    ],
  },
  {
    feature: "computer use",
    name: "the user confirms a risky call",
    documented,
    model: "gemini-2.5-computer-use-preview-10-2025",
    agent: agentWith(clickAt),
    replies: [replied([[said], [risky]]), done],
    outcome: { status: "interrupted", waitsFor: ["click_at"] },
    ran: [
      [
        "click_at",
        {
          x: 60,
          y: 100,
          safety_decision: { decision: "require_confirmation", explanation: "It buys something." },
        },
      ],
    ],
    sentBack: [
      model(said, risky),
      results({ name: "click_at", response: { url, safety_acknowledgement: "true" }, parts }),
      model({ text: "Done." }),
    ],
  },
  {
    feature: "computer use",
    name: "no tool executes a predefined function",
    documented,
    model: "gemini-2.5-computer-use-preview-10-2025",
    agent: agentWith(),
    replies: [replied([[said], [clicks()]])],
    outcome: { status: "error", error: unconfigured, says: "add a tool of this name" },
  },
  {
    feature: "computer use",
    name: "nothing asks the user about a risky call",
    documented,
    model: "gemini-2.5-computer-use-preview-10-2025",
    agent: agentWith({ ...clickAt, needsApproval: false }),
    replies: [replied([[said], [risky]])],
    outcome: { status: "error", error: unconfigured, says: "set needsApproval" },
  },
];
