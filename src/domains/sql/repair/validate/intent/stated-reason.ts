import { contentWords } from '../../../../../kb/words/content-words.js'
import { stem, stemsOf } from './changed-words.js'
import { isUnreadLanguage } from './unread-language.js'

/** What a sentence is compared with: what every diff says by itself. */
export interface EditVocabulary {
  /** Stems of the words of the changed text, before and after, of its path, and of the names of its entry. */
  readonly stems: ReadonlySet<string>
}

/** The message of a commit. */
export interface Message {
  readonly subject?: string | undefined
  readonly body?: string | undefined
}

/** Head of a message by the convention `type(scope): subject`. */
const typed = /^\s*(?<type>[a-z]+)(?:\([^)]*\))?!?:\s*/iu

/** `feat` and `revert` say by convention that the meaning was changed; the others say nothing. */
const meantTypes = new Set(['feat', 'feature', 'revert'])

/** The head of a sentence that orders or reports an edit: "Remove …", "fixed …", "Only calling …". */
const editHead =
  /^\W*(?:(?:(?:more|only|just|now|not|also|and|some) )*\p{L}+ing\b|(?:add|adapt|adjust|align|amend|apply|bump|change|clean|convert|correct|delete|drop|edit|enable|disable|extend|extract|fix|format|improve|increase|introduce|lower|make|merge|migrate|modify|move|pass|port|put|raise|reduce|refactor|remove|rename|replace|restore|rewrite|set|simplify|split|strip|swap|switch|take|tweak|unify|update|upgrade|use|wrap)(?:s|es|d|ed|ped)?\b)/iu

const mends = /^\W*(?:fix(?:es|ed)?|resolve[sd]?|correct(?:s|ed)?)\b/iu

/** Words of queries and their parts: the language of an edit. */
const editWords =
  /\b(?:alias|cast|clauses?|coalesce|columns?|conditions?|cte|distinct|filters?|group by|joins?|order by|predicates?|quer(?:y|ies)|snippets?|sql|subquer(?:y|ies)|where|yaml)\b/iu

/** Words that state a rule: what counts, and what does not. */
const rule =
  /\b(?:counts?|counted|includ(?:e|es|ed|ing)|incl|exclud(?:e|es|ed|ing)|ignor(?:e|es|ed)|keep|only|must|should|shall|never|always|belongs?|means?|too|as well|also|again|(?:is|are|be) (?:now )?(?:in|out)|instead of|rather than|without|unless|not (?:what|when|the|only|an?|until|by|per))\b/iu

/** Words of a whole statement, about whatever it is. */
const statement =
  /\b(?:we|they|it|its|their|our|who|nobody|somebody|is|are|was|were|has|have|had|do|does|did|may|can|could|would|will|wants?|needs?|ask(?:s|ed)?|sa(?:y|ys|id)|complain(?:s|ed)?|now|not)\b|n't\b/iu

/** Words of a decision, in whatever sentence. */
const decision =
  /\b(?:because|since|so that|due to|in order to|as (?:agreed|asked|requested|decided|of|in|the|it|they|we)|decid\w*|agreed|on purpose|by design|from now on|no longer|any ?(?:more|longer)|so|to (?:match|align with|address|allow|avoid|comply with|reflect|prevent|support|ensure))\b/iu

/** Words of messages that say that something was edited, or how, and not what it means now. */
const fillers = new Set(
  (
    'wip merge misc stuff thing minor small little big quick temporary temp final initial first second last new old other some several various more bit ' +
    'work done save commit push sync test try trial experiment review suggestion comment feedback request pr ticket issue bug typo todo task ' +
    'autotest data kb metric definition knowledge base benchmark model code logic script template line block file folder table view schema database ' +
    'db warehouse keyword comma quote name case whitespace space indent indentation style layout structure version release document documentation ' +
    'doc docs readme note heading path repo repository config configuration setting parameter field function syntax expression order ' +
    'performance perf speed fast faster slow slower optimize optimization readable readability consistency consistent maintainability clear ' +
    'clearer simple simpler easy easier short shorter nice better cleaner lint linter sqlfluff formatter pre hook ci cd build pipeline job nightly ' +
    'run deploy deployment prod production staging dev main master branch git dbt looker dashboard error crash warning fail failure break broken ' +
    'compatibility deprecated behaviour behavior functional change intend chore feat refactor tidy polish cosmetic address resolve implement cover rework ' +
    'move cleanup hotfix revise touch update upper lower down default show list break round up now just condition filter column join alias distinct clause query snippet sql where region'
  )
    .split(' ')
    .filter((word) => word !== 'region')
    .map(stem),
)

/**
 * Reports whether a message gives a reason that goes beyond the edit: why, since when, a ticket, or a rule of the
 * business. One that only names the edit says what every diff says, and holds nothing.
 */
export function statesReason(message: Message, vocabulary: EditVocabulary): boolean {
  return reasonStated(message, vocabulary) !== undefined
}

/** Returns the sentence of a message that gives a reason, or its subject if that is a reason by convention. */
export function reasonStated(
  { subject = '', body = '' }: Message,
  vocabulary: EditVocabulary,
): string | undefined {
  const type = typed.exec(subject)?.groups?.['type']?.toLowerCase()
  if (
    /^revert\b/iu.test(subject) ||
    /^\W*feat(?:\([^)]*\))?!?:/imu.test(body) ||
    (type !== undefined && meantTypes.has(type))
  )
    return subject
  const text = `${subject.replace(isKnownType(type) ? typed : /^$/u, '')}\n${body}`
  const sentence = sentencesOf(text).find((each) => goesBeyondEdit(each, vocabulary))
  // A subject is quoted whole: its parts explain each other.
  if (sentence !== undefined && subject.replaceAll(/\s+/gu, ' ').includes(sentence)) return subject.trim()
  return sentence ?? `${subject}\n${body}`.split('\n').find((line) => ticket.test(line))
}

function isKnownType(type: string | undefined): boolean {
  return type !== undefined && /^(?:build|chore|ci|docs?|fix|perf|refactor|style|tests?)$/u.test(type)
}

/** Reports whether a message, or a sentence, is in no language that can be read: whether it gives a reason is unknown. */
export function isUnread({ subject = '', body = '' }: Message, vocabulary: EditVocabulary): boolean {
  const text = withoutReferences(`${subject.replace(typed, '')}\n${body}`)
  const isEnglish = (word: string): boolean =>
    fillers.has(stem(word)) || editWords.test(word) || editHead.test(word)
  return isUnreadLanguage(text, vocabulary, isEnglish)
}

/** Reports whether one sentence says more than the edit does. */
export function goesBeyondEdit(written: string, vocabulary: EditVocabulary): boolean {
  const sentence = withoutReferences(written)
  if (decision.test(sentence)) return contentWords(sentence).length > 1
  if (namesStates(sentence, vocabulary)) return true
  const asides = [...sentence.matchAll(/\((?<aside>[^)]*)\)/gu)].flatMap(({ groups }) =>
    clausesOf(groups?.['aside'] ?? ''),
  )
  const isOfEdit = (clause: string): boolean =>
    isEditHead(clause, vocabulary) || (editWords.test(clause) && !rule.test(clause))
  // What stands in brackets, or is appended, with a word of its own says why, or for whom: "… (finance)", "… - board meeting".
  const plain = sentence.replaceAll(/\([^)]*\)/gu, ' ')
  // What is in another language is not understood, however it is divided.
  const [, ...further] = isUnread({ body: sentence }, vocabulary)
    ? []
    : plain.split(isEditHead(plain, vocabulary) ? dash : dashOrComma)
  if ([...asides, ...further].some((clause) => !isOfEdit(clause) && newWords(clause, vocabulary).length > 0))
    return true
  return [...clausesOf(plain), ...asides].some((clause) =>
    isOfEdit(clause) && !agreesWithSource(clause, vocabulary)
      ? // Who names the fault that an edit mends says why.
        mends.test(clause) && newWords(clause.replace(mends, ''), vocabulary).length > 1
      : statesRule(clause, vocabulary),
  )
}

/** Reports whether a sentence calls what it was and what it is by words of their own: "billed: net → gross". */
function namesStates(sentence: string, vocabulary: EditVocabulary): boolean {
  const states = sentence.split(/\s(?:→|[-=]>)\s/u)
  return (
    states.length > 1 &&
    !isEditHead(sentence, vocabulary) &&
    states.every((state) => newWords(state.replace(/^.*:/u, ''), vocabulary).length > 0)
  )
}

const dash = /\s[-–—]+\s|\s*—\s*/u
const dashOrComma = /\s[-–—]+\s|\s*—\s*|,\s/u

function clausesOf(sentence: string): string[] {
  return sentence.split(/[,:–—→]| - |[-=]>/u)
}

/** What two things agree in, and with what: "bring comps into line with the annual report". */
const agreement =
  /\b(?:align|reconcil|match|make|agree|conform|compl[iy]|accord|consistent|in(?:to)? line)\w*\b.*?\b(?:with|to|match(?:es)?) (?<source>\p{L}.*)$/iu

function agreesWithSource(clause: string, vocabulary: EditVocabulary): boolean {
  return newWords(agreement.exec(clause)?.groups?.['source'] ?? '', vocabulary).length > 0
}

function statesRule(clause: string, vocabulary: EditVocabulary): boolean {
  if (rule.test(clause)) return contentWords(clause).length > 1
  if (agreesWithSource(clause, vocabulary)) return true
  const own = newWords(clause, vocabulary).length
  if (own > 1 && source.test(clause)) return true
  return statement.test(clause) && (own > 0 || startsWithKnown(clause, vocabulary))
}

/** Reports whether a clause begins with an edit, and not with a word of the query: "Deleted accounts count". */
function isEditHead(clause: string, { stems }: EditVocabulary): boolean {
  const head = editHead.exec(clause)?.[0]
  return head !== undefined && !stemsOf(head).some((word) => stems.has(word))
}

/** Since when something is so. */
const year = /^(?:19|20)\d\d$/u

/** What is named as known to the reader: "the annual report", "Protocol 2025". */
const source = /\bthe \p{L}|\b(?:19|20)\d\d\b/iu

/** Returns the words of a text that neither the edit itself has nor every message. */
function newWords(text: string, { stems }: EditVocabulary): string[] {
  return contentWords(text).filter(
    (word) =>
      (/\p{L}{2}/u.test(word) || year.test(word)) &&
      !stemsOf(word).every((each) => stems.has(each) || fillers.has(each)),
  )
}

/** Reports whether a text is about a thing of the edited text: its first word is one of those, and other words follow. */
function startsWithKnown(text: string, { stems }: EditVocabulary): boolean {
  const [first, ...more] = contentWords(text)
  if (first === undefined || more.length === 0) return false
  const parts = stemsOf(first)
  return parts.some((each) => stems.has(each)) && !parts.every((each) => fillers.has(each))
}

/** A ticket stands for its text. A number that a hosting service appends to a merged change, `(#12)`, is none. */
const ticket =
  /\b[A-Z][A-Z0-9]+-\d+\b|\b(?:bug|issue|ticket|refs?|resolve[sd]?|fix(?:e[sd])?|close[sd]?):? #?\d+\b/iu

/** Returns a text without file names, numbers of issues and hashes. */
function withoutReferences(text: string): string {
  return text
    .replaceAll(/\b[\w./-]+\.(?:sql|ya?ml|md|json)\b/giu, ' ')
    .replaceAll(/[#!]\d+|\b[A-Z][A-Z0-9]+-\d+\b|\bhttps?:\S+|\b[0-9a-f]{7,40}\b/gu, ' ')
    .replaceAll(/^\s*[A-Z][\w-]+-by:.*$/gmu, ' ')
    .replaceAll(/\bMerge (?:branch|pull request|remote)[^\n]*/giu, ' ')
}

/** Splits a text into sentences and parts of sentences that say one thing each. */
export function sentencesOf(text: string): string[] {
  return [...text.matchAll(/[^.;!?。；！？\n]+(?:\.(?=\w| +[\d\p{Ll}])[^.;!?。；！？\n]+)*/gu)].flatMap(
    ([found]) => {
      const sentence = found.trim().replaceAll(/\s+/gu, ' ')
      return /\p{L}/u.test(sentence) ? [sentence] : []
    },
  )
}
