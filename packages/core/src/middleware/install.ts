import type { Agent } from "../agent.ts";
import type { JAFError } from "../errors.ts";
import { abortable } from "../limits/abort.ts";
import { checkMiddleware, type Middleware } from "../middleware.ts";
import type { RunConfig } from "../run-config.ts";
import type { RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { reasonOf, textOfThrown, withThrown } from "../thrown.ts";
import {
  checkUserMemory,
  getUserMemory,
  parseRemembers,
  type RemembersDeclaration,
  type RunUserMemory,
} from "../user-memory.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type Installing<Ctx> = Pick<Agent<Ctx, any>, "middleware" | "remembers">;
type Configured<Ctx> = Pick<RunConfig<Ctx>, "middleware" | "remembers" | "userMemory">;

/** The hook that a `middleware_failed` event is about. */
export interface HookName {
  readonly name: string;
  readonly hook: "onStart" | "onFinish";
}

/**
 * `context`: the argument of a `remembers` function. `hook`: the hook that a `middleware_failed` event names if that
 * function throws.
 */
export type Asking<Ctx> = Pick<RunState<Ctx>, "context"> & Pick<HookName, "hook">;

/** Returns whether a run that begins with this agent can have middleware. */
export const hasMiddleware = <Ctx>(config: Configured<Ctx>, agent: Installing<Ctx>): boolean =>
  config.middleware !== undefined ||
  agent.middleware !== undefined ||
  declarationFor(config, agent) !== undefined;

/**
 * Resolves with the middleware of a run in the order of the calls: the run's, the agent's, and the user memory's.
 * Rejects with a `TypeError` if one is invalid.
 */
export async function install<Ctx>(
  scope: RunScope<Ctx>,
  agent: Installing<Ctx>,
  asking: Asking<Ctx>,
): Promise<readonly Middleware<Ctx>[]> {
  const { config } = scope;
  const given = givenBy(config, agent, labelOfRun);
  const declared = declarationFor(config, agent);
  return declared === undefined
    ? given
    : [...given, ...(await userMemoryMiddleware(scope, declared, asking))];
}

/**
 * Checks middleware and user memory settings without calling a function. Throws a `TypeError` if they are invalid.
 * `label` converts a field's name into the name for the error (e.g. `RunConfig.middleware`).
 */
export function checkInstallable<Ctx>(
  config: Configured<Ctx>,
  agent: Installing<Ctx>,
  label: (field: string) => string,
): void {
  givenBy(config, agent, label);
  checkDeclared(config, agent, label);
}

function givenBy<Ctx>(
  config: Configured<Ctx>,
  agent: Installing<Ctx>,
  label: (field: string) => string,
): readonly Middleware<Ctx>[] {
  if (config.middleware === undefined && agent.middleware === undefined) return [];
  return [
    ...checkMiddleware(config.middleware ?? [], label("middleware")),
    ...checkMiddleware(agent.middleware ?? [], "Agent.middleware"),
  ];
}

/** Emits `middleware_failed` for a hook, unless the run was aborted. */
export function emitFailure<Ctx>(
  { emit, config }: RunScope<Ctx>,
  { name, hook }: HookName,
  reason: string,
): void {
  if (config.signal?.aborted !== true) emit?.({ type: "middleware_failed", data: { name, hook, reason } });
}

/** The user memory settings (`remembers`) that apply to a run, and where they come from. */
interface ActiveDeclaration<Ctx> {
  readonly declaration: RemembersDeclaration<Ctx>;
  /** The agent or the configuration that has the settings. */
  readonly declaring: object;
  readonly what: string;
  readonly memory: RunUserMemory;
}

/**
 * Returns the user memory settings for a run: `RunConfig.remembers`, or else `Agent.remembers`. Returns `undefined` if
 * the run has no settings or no user memory.
 */
function declarationFor<Ctx>(
  config: Configured<Ctx>,
  agent: Installing<Ctx>,
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

/**
 * Checks the user memory and its settings (`remembers`) without calling a function. Throws a `TypeError` if they are
 * invalid.
 */
function checkDeclared<Ctx>(
  { remembers, userMemory }: Configured<Ctx>,
  agent: Installing<Ctx>,
  label: (field: string) => string,
): void {
  if (userMemory !== undefined) checkUserMemory(userMemory, label("userMemory"));
  if (typeof remembers !== "function") parseRemembers(remembers, label("remembers"));
  if (typeof agent.remembers !== "function") parseRemembers(agent.remembers, "Agent.remembers");
}

/**
 * Resolves with the middleware that recalls and stores facts:
 *
 * - If the settings name no user: an empty list.
 * - If a `remembers` function or `RunUserMemory.middlewareFor` throws: an empty list, after a `middleware_failed`
 *   event.
 * - If the settings or the middleware are invalid: rejects with a `TypeError`.
 */
async function userMemoryMiddleware<Ctx>(
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

export const faultOf = (thrown: unknown): JAFError =>
  withThrown({ _tag: "InternalError", detail: textOfThrown(thrown) } as const, thrown);

/** Returns the name of a configuration field for error messages of a run. */
export const labelOfRun = (field: string): string => `RunConfig.${field}`;
