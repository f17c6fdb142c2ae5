import * as z from "zod";
import { createTool, ToolResponse } from "../../../packages/core/src/index.ts";
import type { Json, Recording } from "../recording.ts";
import { called, guide, openai, response, said, thought } from "./response.ts";

const shellAction = z.object({
  action: z.object({
    commands: z.array(z.string()),
    timeout_ms: z.int().optional(),
    max_output_length: z.int().optional(),
  }),
});

const shell = createTool({
  name: "shell",
  description: "Runs commands.",
  parameters: shellAction,
  execute: async ({ action: { commands } }) =>
    commands.map((command) => ({
      stdout: `ran ${command}`,
      stderr: "",
      outcome: { type: "exit", exit_code: 0 },
    })),
});

const plainShell = createTool({
  name: "shell",
  description: "Runs commands.",
  parameters: shellAction,
  needsApproval: true,
  execute: async ({ action: { commands } }) => `ran ${commands.join(" ")}`,
});

const failingShell = createTool({
  name: "shell",
  description: "Runs commands.",
  parameters: shellAction,
  execute: async () => ToolResponse.error("NO_SHELL", "There is no shell."),
});

const shellCall = (id: string, commands: readonly string[], further: Json = {}) => ({
  id: `sh_${id}`,
  type: "shell_call",
  status: "completed",
  call_id: `call_${id}`,
  action: { commands, timeout_ms: null, max_output_length: 4_096 },
  environment: null,
  ...further,
});

const localShell = createTool({
  name: "local_shell",
  description: "Runs a command.",
  parameters: z.object({
    action: z.object({
      type: z.literal("exec"),
      command: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
  execute: async ({ action: { command } }) => `ran ${command.join(" ")}`,
});

const localShellCall = {
  id: "lsh_1",
  type: "local_shell_call",
  status: "completed",
  call_id: "call_1",
  action: { type: "exec", command: ["ls"], env: {}, timeout_ms: null, user: null, working_directory: null },
};

const applyPatch = createTool({
  name: "apply_patch",
  description: "Changes a file.",
  parameters: z.object({
    operation: z.object({ type: z.string(), path: z.string(), diff: z.string().optional() }),
  }),
  execute: async ({ operation: { path } }) =>
    path === "a.ts"
      ? { status: "completed", output: `Changed ${path}.` }
      : ToolResponse.notFound("file", path),
});

const patchCall = (id: string, path: string) => ({
  id: `apc_${id}`,
  type: "apply_patch_call",
  status: "completed",
  call_id: `call_${id}`,
  operation: { type: "update_file", path, diff: "@@\n-1\n+2" },
});

const computer = (name: string) =>
  createTool({
    name,
    description: "A browser.",
    parameters: z.looseObject({}),
    execute: () => ({
      parts: [{ type: "media" as const, mediaType: "image/png", data: "iVBORw==" }],
    }),
  });

const computerCall = {
  id: "cu_1",
  type: "computer_call",
  status: "completed",
  call_id: "call_1",
  actions: [{ type: "click", button: "left", x: 1, y: 2 }, { type: "screenshot" }],
  pending_safety_checks: [{ id: "cu_sc_1", code: "malicious_instructions", message: "Check it." }],
};

const previewCall = {
  id: "cu_1",
  type: "computer_call",
  status: "completed",
  call_id: "call_1",
  action: { type: "screenshot" },
  pending_safety_checks: [],
};

const screenshot = { type: "computer_screenshot", image_url: "data:image/png;base64,iVBORw==" };

const preview = {
  type: "computer_use_preview",
  display_width: 800,
  display_height: 600,
  environment: "browser",
};

const eta = { type: "function", name: "get_eta", defer_loading: true, parameters: { type: "object" } };

const toolSearch = createTool({
  name: "tool_search",
  description: "Finds tools.",
  parameters: z.object({ goal: z.string() }),
  execute: async () => ({ tools: [eta] }),
});

const getEta = createTool({
  name: "get_eta",
  description: "When an order arrives.",
  parameters: z.object({ order: z.string() }),
  execute: async () => "Tomorrow.",
  providerOptions: { openai: { defer_loading: true } },
});

const clientSearch = {
  type: "tool_search",
  execution: "client",
  description: "Finds tools.",
  parameters: { type: "object", properties: { goal: { type: "string" } }, required: ["goal"] },
};

const clientSearchCall = {
  id: "tsc_1",
  type: "tool_search_call",
  status: "completed",
  execution: "client",
  call_id: "call_1",
  arguments: { goal: "When does it arrive?" },
};

const program = { id: "prog_1", type: "program", call_id: "call_prog", code: "…", fingerprint: "fp" };

const byProgram = { caller: { type: "program", caller_id: "call_prog" } };

/** OpenAI's tools that the application runs. */
export const clientToolRecordings: readonly Recording[] = [
  {
    feature: "shell",
    name: "by the agent's tool, with an output for each command",
    documented: guide("tools-shell"),
    model: "gpt-5.1",
    agent: { tools: [shell], ...openai({ tools: [{ type: "shell" }] }) },
    replies: [
      response([thought("1"), shellCall("1", ["ls", "pwd"]), shellCall("2", ["id"])]),
      response([said("Done.")]),
    ],
    requested: { tools: [{ type: "shell" }] },
    outcome: { status: "completed", output: "Done." },
    ran: [
      ["shell", { action: { commands: ["ls", "pwd"], max_output_length: 4_096 } }],
      ["shell", { action: { commands: ["id"], max_output_length: 4_096 } }],
    ],
    kept: [
      {
        tool_calls: [
          { id: "call_1", function: { name: "shell" } },
          { id: "call_2", function: { name: "shell" } },
        ],
      } as never,
      { role: "tool" },
      { role: "tool" },
      { content: [{ type: "text", text: "Done." }] },
    ],
    sentBack: [
      ...[thought("1"), shellCall("1", ["ls", "pwd"]), shellCall("2", ["id"])],
      {
        type: "shell_call_output",
        call_id: "call_1",
        max_output_length: 4_096,
        output: ["ls", "pwd"].map((command) => ({
          stdout: `ran ${command}`,
          stderr: "",
          outcome: { type: "exit", exit_code: 0 },
        })),
      },
      {
        type: "shell_call_output",
        call_id: "call_2",
        max_output_length: 4_096,
        output: [{ stdout: "ran id", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
      },
      said("Done."),
    ],
  },
  {
    feature: "shell",
    name: "after an approval, called by a program",
    documented: guide("tools-shell"),
    model: "gpt-5.1",
    agent: {
      tools: [plainShell],
      ...openai({
        tools: [{ type: "shell", environment: { type: "local" }, allowed_callers: ["programmatic"] }],
      }),
    },
    replies: [response([program, shellCall("1", ["ls"], byProgram)]), response([said("Done.")])],
    outcome: { status: "interrupted", waitsFor: ["shell"] },
    ran: [["shell", { action: { commands: ["ls"], max_output_length: 4_096 } }]],
    sentBack: [
      ...[program, shellCall("1", ["ls"], byProgram)],
      {
        type: "shell_call_output",
        call_id: "call_1",
        max_output_length: 4_096,
        output: [{ stdout: "ran ls", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
        ...byProgram,
      },
      said("Done."),
    ],
  },
  {
    feature: "shell",
    name: "the agent's tool fails",
    documented: guide("tools-shell"),
    model: "gpt-5.1",
    agent: { tools: [failingShell], ...openai({ tools: [{ type: "shell" }] }) },
    replies: [response([shellCall("1", ["ls"])]), response([said("No.")])],
    outcome: { status: "completed", output: "No." },
    ran: [["shell", { action: { commands: ["ls"], max_output_length: 4_096 } }]],
    sentBack: [
      shellCall("1", ["ls"]),
      {
        type: "shell_call_output",
        call_id: "call_1",
        max_output_length: 4_096,
        output: [{ stdout: "", stderr: "There is no shell.", outcome: { type: "exit", exit_code: 1 } }],
      },
      said("No."),
    ],
  },
  {
    feature: "shell",
    name: "without a tool that runs it",
    documented: guide("tools-shell"),
    model: "gpt-5.1",
    agent: openai({ tools: [{ type: "shell" }] }),
    replies: [response([shellCall("1", ["ls"])])],
    outcome: {
      status: "error",
      error: { _tag: "ModelCallError", retryable: false },
      says: "add a tool with the name",
    },
  },
  {
    feature: "shell",
    name: "by the agent's tool",
    documented: guide("tools-local-shell"),
    model: "codex-mini-latest",
    agent: { tools: [localShell], ...openai({ tools: [{ type: "local_shell" }] }) },
    replies: [response([localShellCall]), response([said("Done.")])],
    requested: { tools: [{ type: "local_shell" }] },
    outcome: { status: "completed", output: "Done." },
    ran: [["local_shell", { action: { type: "exec", command: ["ls"], env: {} } }]],
    sentBack: [
      localShellCall,
      { type: "local_shell_call_output", call_id: "call_1", output: "ran ls" },
      said("Done."),
    ],
  },
  {
    feature: "apply_patch",
    name: "one change is made, one fails",
    documented: guide("tools-apply-patch"),
    model: "gpt-5.1",
    agent: { tools: [applyPatch], ...openai({ tools: [{ type: "apply_patch" }] }) },
    replies: [response([patchCall("1", "a.ts"), patchCall("2", "b.ts")]), response([said("Done.")])],
    requested: { tools: [{ type: "apply_patch" }] },
    outcome: { status: "completed", output: "Done." },
    ran: [
      ["apply_patch", { operation: { type: "update_file", path: "a.ts", diff: "@@\n-1\n+2" } }],
      ["apply_patch", { operation: { type: "update_file", path: "b.ts", diff: "@@\n-1\n+2" } }],
    ],
    sentBack: [
      ...[patchCall("1", "a.ts"), patchCall("2", "b.ts")],
      { type: "apply_patch_call_output", call_id: "call_1", status: "completed", output: "Changed a.ts." },
      {
        type: "apply_patch_call_output",
        call_id: "call_2",
        status: "failed",
        output: "file not found: b.ts",
      },
      said("Done."),
    ],
  },
  {
    feature: "computer use",
    name: "several actions, with a safety check",
    documented: guide("tools-computer-use"),
    model: "gpt-5.4",
    agent: {
      tools: [{ ...computer("computer"), needsApproval: true }],
      ...openai({ tools: [{ type: "computer" }] }),
    },
    replies: [response([computerCall]), response([said("Done.")])],
    requested: { tools: [{ type: "computer" }] },
    outcome: { status: "interrupted", waitsFor: ["computer"] },
    ran: [
      [
        "computer",
        { actions: computerCall.actions, pending_safety_checks: computerCall.pending_safety_checks },
      ],
    ],
    sentBack: [
      computerCall,
      {
        type: "computer_call_output",
        call_id: "call_1",
        output: screenshot,
        acknowledged_safety_checks: computerCall.pending_safety_checks,
      },
      said("Done."),
    ],
  },
  {
    feature: "computer use",
    name: "a safety check that nothing asks a user about",
    documented: guide("tools-computer-use"),
    model: "gpt-5.4",
    agent: { tools: [computer("computer")], ...openai({ tools: [{ type: "computer" }] }) },
    replies: [response([computerCall])],
    outcome: {
      status: "error",
      error: { _tag: "ModelCallError", retryable: false },
      says: "set needsApproval of the agent's tool",
    },
  },
  {
    feature: "computer use",
    name: "the preview's one action",
    documented: guide("tools-computer-use"),
    model: "computer-use-preview",
    agent: { tools: [computer("computer_use_preview")], ...openai({ tools: [preview], truncation: "auto" }) },
    replies: [response([previewCall]), response([said("Done.")])],
    requested: { tools: [preview], truncation: "auto" },
    outcome: { status: "completed", output: "Done." },
    ran: [["computer_use_preview", { action: { type: "screenshot" }, pending_safety_checks: [] }]],
    sentBack: [
      previewCall,
      { type: "computer_call_output", call_id: "call_1", output: screenshot },
      said("Done."),
    ],
  },
  {
    feature: "tool search",
    name: "by the agent's tool",
    documented: guide("tools-tool-search"),
    model: "gpt-5.4",
    agent: { tools: [toolSearch, getEta], ...openai({ tools: [clientSearch] }) },
    replies: [
      response([clientSearchCall]),
      response([called("call_2", "get_eta", { order: "o1" })]),
      response([said("Tomorrow.")]),
    ],
    requested: { tools: [{ name: "get_eta", defer_loading: true }, clientSearch] },
    outcome: { status: "completed", output: "Tomorrow." },
    ran: [
      ["tool_search", { goal: "When does it arrive?" }],
      ["get_eta", { order: "o1" }],
    ],
    sentBack: [
      clientSearchCall,
      {
        type: "tool_search_output",
        call_id: "call_1",
        execution: "client",
        status: "completed",
        tools: [eta],
      },
      called("call_2", "get_eta", { order: "o1" }),
      { type: "function_call_output", call_id: "call_2", output: "Tomorrow." },
      said("Tomorrow."),
    ],
  },
];
