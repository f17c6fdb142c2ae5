import type { Agent } from "../../agent.ts";
import type { RunConfig } from "../../config.ts";
import type { RunScope } from "../../engine/run-scope.ts";
import type { RunState } from "../../state.ts";
import { reasonOf } from "../../thrown.ts";
import { abortable } from "../../timing/abort.ts";
import { checkMiddleware } from "../check.ts";
import { emitFailure, type HookName } from "../failure.ts";
import type { Middleware } from "../middleware.ts";
import { checkUserMemory, getUserMemory } from "./default-memory.ts";
import type { RemembersDeclaration, RunUserMemory } from "./remembers.ts";
import { parseRemembers } from "./spec.ts";

type Configured<Ctx> = Pick<RunConfig<Ctx>, "remembers" | "userMemory">;
// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type Declaring<Ctx> = Pick<Agent<Ctx, any>, "remembers">;

/** Whom a declaration is asked for, and before which hooks. */
export type Asking<Ctx> = Pick<RunState<Ctx>, "context"> & Pick<HookName, "hook">;

/** What holds for a run, and where it is said. */
interface ActiveDeclaration<Ctx> {
  readonly declaration: RemembersDeclaration<Ctx>;
  /** What declares it: a function is called on it, which may be an instance of a class. */
  readonly declaring: object;
  readonly what: string;
  readonly memory: RunUserMemory;
}

/** The call's declaration takes precedence over the agent's. `undefined` without a declaration, and without a user memory. */
export function declarationFor<Ctx>(
  config: Configured<Ctx>,
  agent: Declaring<Ctx>,
): ActiveDeclaration<Ctx> | undefined {
  const isAgents = config.remembers === undefined;
  const declaration = isAgents ? agent.remembers : config.remembers;
  if (!declaration) return undefined;
  const memory = config.userMemory ?? getUserMemory();
  if (memory === undefined) return undefined;
  return {
    declaration,
    declaring: isAgents ? agent : config,
    what: isAgents ? "Agent.remembers" : "RunConfig.remembers",
    memory,
  };
}

/** Throws a `TypeError` for what can be seen to be wrong before anything is called. */
export function checkDeclared<Ctx>(
  { remembers, userMemory }: Configured<Ctx>,
  agent: Declaring<Ctx>,
  label: (field: string) => string,
): void {
  if (userMemory !== undefined) checkUserMemory(userMemory, label("userMemory"));
  if (typeof remembers !== "function") parseRemembers(remembers, label("remembers"));
  if (typeof agent.remembers !== "function") parseRemembers(agent.remembers, "Agent.remembers");
}

/**
 * The middleware for a declaration. None for an empty declaration, and if the application's own code throws, which is emitted as an
 * event. Throws a `TypeError` for an invalid declaration.
 */
export async function userMemoryMiddleware<Ctx>(
  scope: RunScope<Ctx>,
  { declaration, declaring, what, memory }: ActiveDeclaration<Ctx>,
  { context, hook }: Asking<Ctx>,
): Promise<readonly Middleware<Ctx>[]> {
  const attempt = async <T>(action: () => T): Promise<{ readonly value: Awaited<T> } | undefined> => {
    try {
      return { value: await action() };
    } catch (thrown) {
      emitFailure(scope, { name: "remembers", hook }, reasonOf(thrown));
      return undefined;
    }
  };
  const declared =
    typeof declaration === "function"
      ? await attempt(() => abortable(declaration.call(declaring, context), scope.config.signal))
      : { value: declaration };
  const spec = declared && parseRemembers(declared.value, what);
  const made = spec && (await attempt(() => abortable(memory.middlewareFor<Ctx>(spec), scope.config.signal)));
  return made === undefined ? [] : checkMiddleware(made.value, "result of middlewareFor()");
}
