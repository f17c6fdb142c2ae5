import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import {
  readToolResult,
  rejectedResult,
  rejectionOf,
  ToolErrorCodes,
  ToolResponse,
  withErrorHandling,
} from "../../src/index.ts";
import { isToolResult } from "../../src/tools/result.ts";
import { approvalOf, paying, shop } from "../support/interrupted.ts";

describe("ToolResponse", () => {
  it("creates a success with data and metadata", () => {
    expect(ToolResponse.success(1)).toEqual({ status: "success", data: 1 });
    expect(ToolResponse.success(1, { toolName: "t", rows: 2 })).toEqual({
      status: "success",
      data: 1,
      metadata: { toolName: "t", rows: 2 },
    });
  });

  it("creates each kind of error", () => {
    expect(ToolResponse.error(ToolErrorCodes.TIMEOUT, "late")).toEqual({
      status: "error",
      error: { code: "TIMEOUT", message: "late" },
    });
    expect(ToolResponse.error("MY_CODE", "mine", { a: 1 }, { toolName: "t" })).toEqual({
      status: "error",
      error: { code: "MY_CODE", message: "mine", details: { a: 1 } },
      metadata: { toolName: "t" },
    });
    expect(ToolResponse.validationError("wrong")).toEqual({
      status: "validation_error",
      error: { code: "INVALID_INPUT", message: "wrong" },
    });
    expect(ToolResponse.permissionDenied("no", ["admin"])).toEqual({
      status: "permission_denied",
      error: { code: "PERMISSION_DENIED", message: "no", details: { requiredPermissions: ["admin"] } },
    });
    expect(ToolResponse.notFound("Order", "7")).toEqual({
      status: "not_found",
      error: {
        code: "NOT_FOUND",
        message: "Order not found: 7",
        details: { resource: "Order", identifier: "7" },
      },
    });
    expect(ToolResponse.notFound("Order").error?.message).toBe("Order not found");
  });
});

describe("isToolResult", () => {
  it("distinguishes a result from data that happens to have a status", () => {
    expect(isToolResult(ToolResponse.success(1))).toBe(true);
    expect(isToolResult({ status: "success", orderId: 7 })).toBe(false);
    expect(isToolResult({ status: "shipped" })).toBe(false);
    expect(isToolResult("success")).toBe(false);
    expect(isToolResult(null)).toBe(false);
  });

  it("is false for lists and instances of classes", () => {
    class Job {
      readonly status = "error";
    }
    expect(isToolResult(new Job())).toBe(false);
    expect(isToolResult(Object.assign([], { status: "error" }))).toBe(false);
    expect(isToolResult(Object.assign(Object.create(null), { status: "error" }))).toBe(true);
    expect(isToolResult(runInNewContext("({ status: 'success', data: 1 })"))).toBe(true);
  });

  it("is true for a failure with further fields", async () => {
    const failure = { ...ToolResponse.error("MINE", "no"), hint: "try later" };
    expect(isToolResult(failure)).toBe(true);
    expect(await withErrorHandling("tool", () => failure)({}, {})).toMatchObject({ status: "error" });
  });
});

describe("withErrorHandling", () => {
  it("turns a return value into a success, with the tool's name and the time", async () => {
    const execute = withErrorHandling("double", async (args: { n: number }) => args.n * 2);
    expect(await execute({ n: 4 }, {})).toEqual({
      status: "success",
      data: 8,
      metadata: { toolName: "double", executionTimeMs: expect.any(Number) },
    });
  });

  it("turns a thrown error into an error result, without its stack", async () => {
    const execute = withErrorHandling("broken", () => {
      throw new Error("no luck");
    });
    const result = await execute({}, {});
    expect(result).toMatchObject({
      status: "error",
      error: { code: "EXECUTION_FAILED", message: "no luck" },
    });
    expect(JSON.stringify(result)).not.toContain(".ts");
  });

  it("keeps the status of a ToolResult, and its own metadata", async () => {
    const execute = withErrorHandling("find", () =>
      ToolResponse.notFound("Order", "7", { toolName: "mine" }),
    );
    expect(await execute({}, {})).toMatchObject({ status: "not_found", metadata: { toolName: "mine" } });
  });

  it("passes context and call on", async () => {
    const execute = withErrorHandling("who", (_args: object, context: { readonly id: string }) => context.id);
    expect((await execute({}, { id: "u1" })).data).toBe("u1");
  });

  it("logs one entry per execution", async () => {
    const entries: unknown[] = [];
    const log = (entry: unknown) => entries.push(entry);
    const failure = new Error("no luck");
    await withErrorHandling("good", () => 1, { log })({}, {});
    await withErrorHandling("bad", () => Promise.reject(failure), { log })({}, {});
    expect(entries).toEqual([
      { toolName: "good", status: "success", executionTimeMs: expect.any(Number) },
      { toolName: "bad", status: "error", executionTimeMs: expect.any(Number), error: failure },
    ]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("a bug in the log");
      },
    ],
    ["rejects", () => Promise.reject(new Error("a bug in the log"))],
  ])("has the same result when its log %s, and reports that as a process warning", async (_how, log) => {
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue(undefined);
    let executed = 0;
    const execute = () => {
      executed += 1;
      return 1;
    };
    expect(await withErrorHandling("tool", execute, { log })({}, {})).toMatchObject({
      status: "success",
      data: 1,
    });
    expect(executed).toBe(1);
    await expect.poll(() => warn.mock.calls).toHaveLength(1);
    expect(warn.mock.calls[0]?.[0]).toContain('tool "tool"');
    warn.mockRestore();
  });
});

describe("a tool result in a message", () => {
  it("is read from its text, in any order and spacing of fields", () => {
    const failed = ToolResponse.notFound("order", "7");
    expect(readToolResult(JSON.stringify(failed))).toEqual(failed);
    expect(readToolResult('{ "error": {"code":"X","message":"no"}, "status": "error" }')?.status).toBe(
      "error",
    );
    for (const text of ["", "paid", "7", "null", '{"status":"shipped"}', '{"status":"error"']) {
      expect(readToolResult(text)).toBeUndefined();
    }
  });

  it("shows that its call was rejected, and why", async () => {
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
