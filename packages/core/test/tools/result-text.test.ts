import { describe, expect, it } from "vitest";
import { readToolResult, rejectedResult, rejectionOf, ToolResponse } from "../../src/index.ts";
import { approvalOf, paying, shop } from "../support/interrupted.ts";

describe("a tool result as the model reads it", () => {
  it("is read from its text, in whatever order and spacing its fields stand", () => {
    const failed = ToolResponse.notFound("order", "7");
    expect(readToolResult(JSON.stringify(failed))).toEqual(failed);
    expect(readToolResult('{ "error": {"code":"X","message":"no"}, "status": "error" }')?.status).toBe(
      "error",
    );
    for (const text of ["", "paid", "7", "null", '{"status":"shipped"}', '{"status":"error"']) {
      expect(readToolResult(text)).toBeUndefined();
    }
  });

  it("tells that its call was rejected, and why", async () => {
    expect(rejectionOf(rejectedResult(undefined))).toEqual({});
    expect(rejectionOf(rejectedResult("too much: 20"))).toEqual({ reason: "too much: 20" });
    expect(rejectionOf(ToolResponse.permissionDenied("Not for guests."))).toBeUndefined();
    expect(rejectionOf(ToolResponse.success("The call was not approved."))).toBeUndefined();
    const { process } = shop();
    const waiting = await process([{ toolCalls: [paying(20)] }], ["Pay 20"]);
    const { approvalId, toolCallId } = approvalOf(waiting);
    const approvals = [{ toolCallId, approvalId, approved: false, reason: "too much" }];
    const { finalState } = await process(["Well then."], [], { resume: { approvals } });
    const text = finalState.messages.find(({ role }) => role === "tool")?.content ?? "";
    const result = readToolResult(text);
    expect(result && rejectionOf(result)).toEqual({ reason: "too much" });
  });
});
