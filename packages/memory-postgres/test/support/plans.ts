import pg from "pg";
import type { Statement } from "../../src/client/statement.ts";
import { useClient } from "./stores.ts";

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/**
 * Returns the plan of a prepared statement for any values, from a transaction that is rolled back. `touched`: the most
 * rows that one node read.
 */
export async function explain({ text, values }: Statement) {
  const { rows } = await useClient(async (client) => {
    await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE explained AS ${text}`);
    await client.query("BEGIN");
    const literals = values.map((value) => pg.escapeLiteral(String(value)));
    return client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained (${literals.join(", ")})`);
  });
  const nodes = nodesOf(rows[0]["QUERY PLAN"][0].Plan);
  return {
    indexes: new Set(nodes.flatMap((node) => node["Index Name"] ?? [])),
    wholeTables: nodes.flatMap((node) =>
      node["Node Type"] === "Seq Scan" ? (node["Relation Name"] ?? []) : [],
    ),
    touched: Math.max(...nodes.map((node) => node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0))),
  };
}
