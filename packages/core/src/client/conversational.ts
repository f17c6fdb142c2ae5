import { idIssue, lazy, parseOptions } from "@jaf/memory/engine";
import * as z from "zod";

/** Which stored conversation a prompt belongs to. */
export interface Conversational {
  /** Who talks. Falsy: nobody is signed in, so nothing is loaded and nothing is stored. */
  readonly user: string | false | null | undefined;
  /** A conversation of this user, which exists. Default: the one thread that the user has with the agent. */
  readonly id?: string | undefined;
  /** Keeps the threads of one user with several agents apart. Default: the agent's name. */
  readonly agent?: string | undefined;
  /** How many of its last messages the model sees at most, from 1; all of them stay stored. Default: all. */
  readonly historyLimit?: number | undefined;
}

/** A {@link Conversational}, or nobody at all: prompts are stateless then, and `continue` is refused. */
export type MaybeConversational = Conversational | false | null | undefined;

/** How an agent says it: once for all, or for the context of each prompt. */
export type ConversationalDeclaration<Ctx> =
  | MaybeConversational
  | ((context: Readonly<Ctx>) => MaybeConversational | Promise<MaybeConversational>);

export const idSchema = lazy(() =>
  z.string().superRefine((id, context) => {
    const issue = idIssue("id", id);
    if (issue !== undefined) context.addIssue({ code: "custom", message: `expected ${issue.expected}` });
  }),
);

const userSchema = lazy(() =>
  z
    .unknown()
    .refine((user) => !user || idIssue("user", user) === undefined, {
      error: "expected the id of a user, or a falsy value for nobody",
    })
    .transform((user) => (typeof user === "string" && user !== "" ? user : undefined))
    .optional(),
);

const conversationalSchema = lazy(() =>
  z.strictObject({
    user: userSchema(),
    // It may come from a browser: one that no store would take is refused like one that isn't the user's.
    id: z.string().optional(),
    agent: idSchema().optional(),
    historyLimit: z.int().min(1).optional(),
  }),
);

export type ParsedConversational = z.output<ReturnType<typeof conversationalSchema>>;

/** Somebody was asked who it is, and it is nobody; not the same as if nobody was asked. */
export const NOBODY: ParsedConversational = Object.freeze({});

/** A falsy value is {@link NOBODY}. Throws a `TypeError` that names the field. */
export const parseConversational = (value: unknown, what: string): ParsedConversational =>
  value ? parseOptions(conversationalSchema(), value, what) : NOBODY;

/** What an agent declares for this context. Rejects with what the declaration throws, which is called on the agent. */
export async function declaredBy<Ctx>(
  agent: { readonly conversational?: ConversationalDeclaration<Ctx> },
  context: Readonly<Ctx>,
): Promise<ParsedConversational> {
  const declared =
    typeof agent.conversational === "function" ? await agent.conversational(context) : agent.conversational;
  return parseConversational(declared, "Agent.conversational");
}
