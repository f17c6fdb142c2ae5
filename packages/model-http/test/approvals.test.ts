import { describe, expect, it } from "vitest";
import { approvalIn, withoutForeignApprovals } from "../src/index.ts";

const origin = { provider: "p", api: "a", model: "m" };
const call = (id: string, further = {}) => ({
  id,
  type: "function" as const,
  function: { name: "t", arguments: "{}" },
  ...further,
});
const result = (id: string, content: string) => ({ role: "tool" as const, tool_call_id: id, content });

describe("approvalIn", () => {
  it.each([
    ['{"status":"success","data":{"approved":true}}', { approved: true }],
    [
      '{"status":"permission_denied","error":{"code":"PERMISSION_DENIED","message":"No."}}',
      { approved: false, reason: "No." },
    ],
    ["something else", { approved: false }],
    ['{"status":"success","data":{"isDryRun":true}}', { approved: false }],
  ])("reads %s", (content, approval) => {
    expect(approvalIn(result("c", content))).toEqual(approval);
  });
});

describe("withoutForeignApprovals", () => {
  const asked = { role: "assistant" as const, content: "Hm.", origin };
  const messages = [
    { ...asked, tool_calls: [call("1", { providerExecuted: true }), call("2")] },
    result("1", "yes"),
    result("2", "two"),
    { ...asked, tool_calls: [call("1")] },
    result("1", "one"),
  ];

  it("keeps all messages of the same origin", () => {
    expect(withoutForeignApprovals(messages, origin)).toEqual(messages);
  });

  it("leaves out the calls that another service runs, with their results alone", () => {
    expect(withoutForeignApprovals(messages, { ...origin, model: "n" })).toEqual([
      { ...asked, tool_calls: [call("2")] },
      ...messages.slice(2),
    ]);
  });
});
