const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const MAX_DEPTH = 4;

/** `latencyMs` as "Latency ms". */
function termOf(field: string): string {
  const words = field.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An answer of the server as terms and values: a store may tell more than others. */
export function Details({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) {
  if (typeof value !== "object" || value === null) return <>{textOf(value)}</>;
  if (depth >= MAX_DEPTH) return <>{JSON.stringify(value)}</>;
  return (
    <dl class={depth === 0 ? "facts-of" : "facts-of inner"}>
      {Object.entries(value).map(([field, one]) => (
        <>
          <dt key={`${field} term`}>{termOf(field)}</dt>
          <dd key={field} class={typeof one === "object" && one !== null ? "nested" : undefined}>
            <Details value={one} depth={depth + 1} />
          </dd>
        </>
      ))}
    </dl>
  );
}

function textOf(value: unknown): string {
  if (typeof value === "number") return NUMBER.format(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return new Date(value).toLocaleString();
  return value === null || value === undefined ? "–" : String(value);
}
