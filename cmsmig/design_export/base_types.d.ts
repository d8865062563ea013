/** A block: an instance of a component. */
export interface Block<Name extends string = string> {
  component: Name;
  _uid: string;
  /** In drafts: the mark by which the Visual Editor finds the block. */
  _editable?: string;
}

/** A story as the delivery API returns it. */
export interface Story<Content extends Block = Block> {
  id: number;
  uuid: string;
  name: string;
  slug: string;
  /** The path without a slash at its start; the one in the language that was asked for. */
  full_slug: string;
  /** The path in the primary language; null where no language was asked for. */
  default_full_slug?: string | null;
  /** `default`, or the language that was asked for. */
  lang: string;
  /** `languages: fields`: the story in other languages, some of which it may lack. */
  translated_slugs?: TranslatedSlug[] | null;
  /** `languages: folders`: the same page in other languages. */
  alternates?: Alternate[];
  /** Where editors see the preview, if they named another path; no address of the page. */
  path?: string | null;
  content: Content;
  tag_list: string[];
  position: number;
  parent_id: number | null;
  group_id: string | null;
  is_startpage: boolean;
  created_at: string;
  first_published_at: string | null;
  published_at: string | null;
  sort_by_date: string | null;
}

/** A story in another language. */
export interface TranslatedSlug {
  lang: string;
  /** Without the language's code in front. */
  path: string;
  /** Null: the story does not exist in the language, and shows the primary one's text. */
  name: string | null;
  published: boolean | null;
}

/** The same page in another language, a story of its own. */
export interface Alternate {
  id: number;
  name: string;
  slug: string;
  full_slug: string;
  /** Whether visitors can open it. */
  published: boolean;
  is_folder: boolean;
  parent_id: number | null;
}

/** A UUID; the story itself where `resolve_relations` names the field. */
export type Relation<Target> = string | Target;

/** An uploaded file. Without a file, `filename` is empty. */
export interface Asset {
  fieldtype: "asset";
  id: number | null;
  filename: string;
  alt: string | null;
  name: string;
  title: string | null;
  copyright: string | null;
  source: string | null;
  /** `XxY:XxY`, or empty. */
  focus: string | null;
  meta_data?: Record<string, unknown>;
  is_external_url?: boolean;
}

/** A link. Without a target, `url` and `cached_url` are empty. */
export interface Link {
  fieldtype: "multilink";
  linktype: "story" | "url" | "email" | "asset";
  /** The UUID of the story, for links of the type `story`. */
  id: string;
  url: string;
  /** The address, or the full slug of the story. */
  cached_url: string;
  email?: string;
  anchor?: string;
  target?: string;
  rel?: string;
  title?: string;
}

/** A table field. */
export interface Table {
  fieldtype: "table";
  thead: { _uid: string; component: "_table_head"; value: string }[];
  tbody: {
    _uid: string;
    component: "_table_row";
    body: { _uid: string; component: "_table_col"; value: string }[];
  }[];
}

/** The value of a field plugin. */
export interface Plugin {
  plugin: string;
  _uid?: string;
  [key: string]: unknown;
}

/** A rich text document. */
export interface RichText {
  type: "doc";
  content?: RichTextNode[];
}

export interface RichTextMark {
  type:
    | "link"
    | "bold"
    | "italic"
    | "strike"
    | "underline"
    | "code"
    | "superscript"
    | "subscript"
    | "highlight"
    | "textStyle"
    | "anchor"
    | "styled";
  attrs?: Record<string, unknown>;
}

export type RichTextNode =
  | { type: "text"; text: string; marks?: RichTextMark[] }
  | { type: "blok"; attrs: { id: string | null; body: AnyBlock[] } }
  | {
      type:
        | "paragraph"
        | "heading"
        | "bullet_list"
        | "ordered_list"
        | "list_item"
        | "blockquote"
        | "code_block"
        | "hard_break"
        | "horizontal_rule"
        | "image"
        | "emoji"
        | "table"
        | "tableRow"
        | "tableCell"
        | "tableHeader";
      attrs?: Record<string, unknown>;
      content?: RichTextNode[];
      marks?: RichTextMark[];
    };
