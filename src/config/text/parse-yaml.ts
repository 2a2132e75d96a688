/**
 * Converts YAML text to a tree whose nodes know their places in the file. Explains syntax errors,
 * resolves aliases and merge keys, and refuses aliases that expand to an enormous tree.
 */
import type { Rule } from "../rules.ts";
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  type ParsedNode,
  Parser,
  type YAMLMap,
} from "yaml";
import { yieldToEventLoop } from "../../model/steps.ts";
import type { Report } from "../report.ts";
import type { Entry, MapNode, Node, Place, ScalarNode, SourceFile } from "../tree.ts";
import { createTokenCheck, type Excess, MAX_DEPTH, tooDeep } from "./yaml-limits.ts";
import { explainSyntax, explainTag } from "./yaml-traps.ts";

/**
 * The maximum number of nodes to which the aliases of a file may expand. An alias bomb exceeds it
 * within a millisecond.
 */
const MAX_ALIAS_NODES = 200_000;

/**
 * The number of tokens that are parsed before other work of the process gets a turn. Parsing this
 * many takes tens of milliseconds.
 */
const TOKENS_AT_ONCE = 10_000;

/** Returns the root map. If the file has errors, reports them and returns undefined. */
export async function parseYaml(file: SourceFile, report: Report): Promise<MapNode | undefined> {
  const parsed = await parseDocuments(file.text);
  if ("message" in parsed) return complain(parsed.offset, "yaml-too-big", parsed.message);
  const [document, second] = parsed;
  if (document === undefined)
    return complain(
      0,
      "empty-file",
      "the file is empty: `chirpwatch init slack` writes a small one",
    );
  if (second !== undefined)
    return complain(
      second.range[0],
      "yaml-documents",
      "a second document starts here: keep one per file, and split with a folder of files",
    );
  for (const issue of explainSyntax(file.text, document.errors))
    complain(issue.offset, issue.rule, issue.message);
  for (const warning of document.warnings)
    complain(warning.pos[0], "yaml-tag", explainTag(file.text, warning.pos[0]));
  if (document.errors.length > 0 || document.warnings.length > 0) return undefined;
  try {
    return rootOf(new Reader(file, report));
  } catch (error) {
    if (error instanceof YamlRefusal) return complain(error.offset, error.rule, error.message);
    throw error;
  }

  function rootOf(reader: Reader): MapNode | undefined {
    const root =
      document?.contents === null || document === undefined
        ? undefined
        : reader.read(document.contents as ParsedNode, 0);
    if (root?.kind === "map") return root;
    if (root === undefined || (root.kind === "scalar" && root.value === null)) {
      return complain(
        0,
        "empty-file",
        "the file is empty: `chirpwatch init slack` writes a small one",
      );
    }
    return complain(
      root.place.offset,
      "yaml-root",
      "a configuration must be a map of keys such as `watches:` and `sinks:`",
    );
  }

  function complain(offset: number, rule: Rule, message: string): undefined {
    report.error({ file, offset }, rule, message);
    return undefined;
  }
}

/** Parses the documents of a text, as far as it exceeds no limit. */
async function parseDocuments(text: string): Promise<readonly Document.Parsed[] | Excess> {
  const checkToken = createTokenCheck();
  const parser = new Parser();
  const composer = new Composer<ParsedNode>({
    prettyErrors: false,
    merge: true,
    // `#readMap` finds repeated keys, because the parser would compare every key with every other.
    uniqueKeys: false,
    intAsBigInt: false,
  });
  const documents: Document.Parsed[] = [];
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const excess = checkToken(lexeme);
    if (excess !== undefined) return excess;
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token));
    tokens += 1;
    if (tokens % TOKENS_AT_ONCE === 0) await yieldToEventLoop();
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  if (tokens > TOKENS_AT_ONCE) await yieldToEventLoop();
  return documents;
}

/** Thrown only inside this file, to stop reading a tree that is refused. */
class YamlRefusal extends Error {
  readonly offset: number;
  readonly rule: Rule;
  constructor(offset: number, rule: Rule, message: string) {
    super(message);
    this.offset = offset;
    this.rule = rule;
  }
}

/** Reads the parser's nodes of one file into a tree. */
class Reader {
  readonly #file: SourceFile;
  readonly #report: Report;
  #insideAlias = 0;
  #aliasNodes = 0;
  // The anchors by name. The parser's own lookup would search the whole document for every alias,
  // which takes seconds with an alias bomb.
  readonly #anchors = new Map<string, ParsedNode>();

  constructor(file: SourceFile, report: Report) {
    this.#file = file;
    this.#report = report;
  }

  read(node: ParsedNode, depth: number): Node {
    if (!isAlias(node) && node.anchor !== undefined && this.#insideAlias === 0)
      this.#anchors.set(node.anchor, node);
    const offset = node.range[0];
    if (depth > MAX_DEPTH) throw new YamlRefusal(offset, "yaml-too-big", tooDeep);
    if (this.#insideAlias > 0 && ++this.#aliasNodes > MAX_ALIAS_NODES) {
      throw new YamlRefusal(
        offset,
        "yaml-alias-bomb",
        "aliases expand to far too much: write the parts out, or use fewer of them",
      );
    }
    if (isAlias(node)) return this.#readAlias(node as ParsedNode & { source: string }, depth);
    if (isMap(node)) return this.#readMap(node as YAMLMap.Parsed, depth);
    if (!isSeq(node)) return this.#readScalar(node);
    return {
      kind: "list",
      place: this.#at(offset),
      items: node.items.map((item) => this.read(item as ParsedNode, depth + 1)),
    };
  }

  #at(offset: number): Place {
    return { file: this.#file, offset };
  }

  #readAlias(node: ParsedNode & { source: string }, depth: number): Node {
    const target = this.#anchors.get(node.source);
    if (target === undefined)
      throw new YamlRefusal(node.range[0], "yaml-alias", aliasText(node.source));
    this.#insideAlias += 1;
    const read = this.read(target, depth + 1);
    this.#insideAlias -= 1;
    return read;
  }

  #readScalar(node: ParsedNode): ScalarNode {
    const raw = isScalar(node) ? node.value : null;
    const source = isScalar(node) && typeof node.source === "string" ? node.source : "";
    const plain = isScalar(node) && node.type === "PLAIN";
    if (plain) this.#refuseItem(node.range);
    const value =
      typeof raw === "number" && !isExact(raw, source) ? source : (raw as ScalarNode["value"]);
    return {
      kind: "scalar",
      place: this.#at(node.range[0]),
      value,
      source,
      origin: plain ? "plain" : "quoted",
    };
  }

  /**
   * Refuses a list item such as `- alice` that is followed by a further indented `- bob`, because
   * YAML reads both lines as a single text.
   */
  #refuseItem([start, end]: ParsedNode["range"]): void {
    const found = /\n[ \t]*(-[ \t]+\S[^\n]*)/.exec(this.#file.text.slice(start, end));
    if (found === null) return;
    const item = found[1] ?? "";
    const message = `\`${item}\` continues the text of the line above: indent it like that line to make it an item of its own`;
    this.#report.error(
      this.#at(start + found.index + found[0].length - item.length),
      "yaml-indent",
      message,
    );
  }

  #readMap(node: YAMLMap.Parsed, depth: number): MapNode {
    const entries = new Map<string, Entry>();
    const merged: Entry[] = [];
    for (const pair of node.items as Pair<ParsedNode, ParsedNode | null>[]) {
      const key = keyOf(pair.key);
      const keyPlace = this.#at(pair.key.range[0]);
      const value: Node =
        pair.value === null ? nothing(keyPlace) : this.read(pair.value, depth + 1);
      if (key === "__proto__") {
        // JavaScript treats this key specially, so a schema would silently drop its value.
        this.#report.error(
          keyPlace,
          "yaml-key",
          "`__proto__` cannot be a key: choose another name",
        );
        continue;
      }
      if (key === "<<") merged.push(...mergedEntries(value));
      else if (entries.has(key)) {
        this.#report.error(
          keyPlace,
          "yaml-duplicate-key",
          `\`${key}\` appears twice in the same map: keep one of them`,
        );
      } else entries.set(key, { key, keyPlace, node: value });
    }
    for (const entry of merged) if (!entries.has(entry.key)) entries.set(entry.key, entry);
    return { kind: "map", place: this.#at(node.range[0]), entries };
  }
}

function mergedEntries(value: Node): readonly Entry[] {
  if (value.kind === "map") return [...value.entries.values()];
  if (value.kind === "list") return value.items.flatMap(mergedEntries);
  throw new YamlRefusal(
    value.place.offset,
    "yaml-merge",
    "`<<` merges maps only: write `<<: *name` with an anchor on a map",
  );
}

function keyOf(node: ParsedNode): string {
  if (isScalar(node))
    return typeof node.value === "string" ? node.value : String(node.source ?? node.value);
  throw new YamlRefusal(node.range[0], "yaml-key", "a key must be a plain word");
}

const nothing = (place: Place): ScalarNode => ({
  kind: "scalar",
  place,
  value: null,
  source: "",
  origin: "plain",
});

/**
 * Whether JavaScript can represent the number exactly. A larger whole number stays text, because it
 * is an id.
 */
const isExact = (value: number, source: string): boolean =>
  !/^[-+]?\d+$/.test(source) || Number.isSafeInteger(value);

const aliasText = (name: string): string =>
  /^[A-Za-z][\w-]*$/.test(name)
    ? `there is no anchor &${name} above this line`
    : `an unquoted * starts a YAML alias: put the whole value in quotes, like "*${name}"`;
