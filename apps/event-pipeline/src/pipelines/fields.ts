import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { isMisspelling } from '@mcp-toolkits/core/references'
import { synonyms, words } from '@mcp-toolkits/core/tool'
import { type ItemType, itemTypes } from './calls.ts'
import { readDateTime } from './date-time.ts'

/** Fields in every call. https://docs.customer.io/api/cdp/ */
const commonFields = words('userId anonymousId messageId timestamp originalTimestamp sentAt receivedAt version context integrations')

/** Additional fields of each call. */
const ownFields: Readonly<Record<ItemType, readonly string[]>> = {
  identify: ['traits'],
  track: ['event', 'properties', 'groupId'],
  page: ['name', 'category', 'properties'],
  screen: ['name', 'category', 'properties'],
  group: ['groupId', 'traits'],
  alias: ['previousId'],
}

/** Meaningless fields that the vendor's own clients and examples send. */
const toleratedFields = ['type', 'channel', 'library', '_metadata', 'writeKey']

/** Fields that contain a date and time. */
export const dateTimeFields = ['timestamp', 'originalTimestamp', 'sentAt']
/** Fields that contain an id. */
export const idFields = ['userId', 'anonymousId', 'groupId', 'previousId']

/** Places where a call keeps its details. */
const containers: Readonly<Record<ItemType, 'traits' | 'properties' | undefined>> = {
  identify: 'traits',
  track: 'properties',
  page: 'properties',
  screen: 'properties',
  group: 'traits',
  alias: undefined,
}

export function fieldsOf(type: ItemType): readonly string[] {
  return [...commonFields, ...ownFields[type]]
}

/** Other names for fields, ignoring case and separators. */
const commonNames = synonyms({
  userId: 'user uid',
  anonymousId: 'anon anonid anonymous',
  messageId: 'idempotencykey insertid',
  timestamp: 'time ts datetime occurredat eventtime eventtimestamp timestampmicros date eventdate when happenedat loggedat trackedat',
})

/** Names for a person's role in a group. */
const relationshipNames = ['role', 'title', 'jobTitle', 'position', 'department', 'permission', 'permissions', 'accessLevel', 'joinedAt']

/** Names for the two sides of a merge that tell which side stays; a name for a user or an id may follow. */
const mergeEnds: Readonly<Record<string, string>> = Object.fromEntries(
  ['', 'id', 'user', 'userid', 'person', 'profile', 'profileid'].flatMap((what) => [
    ...words('from mergefrom source secondary duplicate loser merge identifiertomerge').map(
      (end) => [`${end}${what}`, 'previousId'] as const,
    ),
    ...words('to into mergeinto target destination primary keep winner survivor master canonical identifiertokeep').map(
      (end) => [`${end}${what}`, 'userId'] as const,
    ),
  ]),
)

const ownNames: Readonly<Record<ItemType, Readonly<Record<string, string>>>> = {
  identify: synonyms({ 'traits.createdAt': 'createdat signedupat', 'traits.email': 'emailaddress' }),
  track: synonyms({ event: 'eventname eventtype eventtitle name', groupId: 'group', timestamp: 'createdat' }),
  page: synonyms({ name: 'pagename page view event eventname', timestamp: 'createdat' }),
  screen: synonyms({ name: 'screenname view screen firebasescreen title event eventname', timestamp: 'createdat' }),
  group: synonyms({
    groupId: 'group groupkey objectid',
    'traits.name': 'groupname',
    'traits.createdAt': 'createdat',
    'traits.objectTypeId': 'objecttypeid',
    ...Object.fromEntries(relationshipNames.map((name) => [`traits.relationshipAttributes.${name}`, name.toLowerCase()])),
  }),
  alias: {
    ...synonyms({
      previousId: 'anonymousid anon anonid prev previous previd oldid olduserid previoususerid formerid',
      userId: 'newid newuserid identifiedid',
    }),
    ...mergeEnds,
  },
}

/** True for a name of one side of a merge, even if it does not tell which side stays: `from`, `primary.id`. */
export const isMergeEnd = (name: string) =>
  /from|to$|into|source|target|destination|primary|secondary|alias$|aliasname|keep|merge|winner|loser|survivor|duplicate|master|global|canonical|ids?$|email$|(?:user|person|profile|customer|identity)(?:[ab12]|one|two)$/.test(
    plainName(name),
  ) && !/^(?:messageid|appid|projectid|token)$/.test(plainName(name))

/** True for an event that only says that a page or screen was viewed: `$pageview`, "Screen Viewed". */
export const isView = (event: unknown) =>
  /^(?:mpweb)?(?:(?:page|screen)(?:view(?:ed)?)?|(?:view|load)eda?(?:page|screen))$/.test(plainName(String(event)))

/** The properties that contain the view's name, if the call itself has no name. */
export function namesIn(type: 'page' | 'screen', { name, event, properties }: JsonObject): readonly string[] {
  if (!isAbsent(name) || (event !== undefined && !isView(event)) || !isObject(properties)) return []
  const names = type === 'screen' ? ['screen', 'screenname', 'firebasescreen'] : isView(event) ? ['page', 'pagename'] : []
  return Object.keys(properties).filter((each) => names.includes(plainName(each)) && isText(properties[each]))
}

/** Names of objects that contain a call's details. */
const containerNames = new Set(
  [
    'attributes attrs customattributes data fields params parameters metadata props details payload set',
    'trait traits usertraits userattributes userproperties grouptraits groupattributes groupproperties groupset',
    'property properties eventproperties eventdata eventattributes pageproperties screenproperties',
  ].flatMap((names) => names.split(' ')),
)

/** Fields of one kind of call that mean nothing in the other kinds. */
const otherCallsFields = new Set(['event', 'eventname', 'groupid', 'previousid', 'traits'])

/** Fields without a known place: they come from exports and other APIs, or may describe either the person or the call. */
const homelessNames = new Set(
  [
    'action method operation op call identifiers ciorelationships userids anonymousids groupids',
    'apikey projectid sourceid destinationid rudderid requestip loadid active locale timezone',
  ].flatMap((names) => names.split(' ')),
)

/** Texts and objects that belong in a context. */
const contextTexts: Readonly<Record<string, string>> = { ip: 'context.ip', useragent: 'context.userAgent' }
const contextObjects = new Set(['campaign', 'page', 'app', 'device', 'network', 'os'])

/** Fields that describe a person, and therefore belong in an identify call. */
const aboutPersons = words('email phone firstname lastname traits usertraits userattributes userproperties unsubscribed')

/** True for a name under which other trackers set or remove traits alongside an event. */
export const isTraitsCommand = (name: string) => /^\$(?:set|set_once|unset)$/.test(name)

/** Names for an id, and the fields that each may mean: no field is renamed if several are possible or if someone else's id may be meant. */
const identityNames: Readonly<Record<string, readonly string[]>> = {
  id: ['userId', 'anonymousId', 'groupId'],
  identifier: ['userId', 'anonymousId'],
  distinctid: ['userId', 'anonymousId'],
  email: ['userId'],
  username: ['userId'],
  ...Object.fromEntries(['customer', 'person', 'profile', 'member', 'contact', 'external'].map((whose) => [`${whose}id`, ['userId']])),
  ...Object.fromEntries(['visitorid', 'deviceid', 'sessionid', 'clientid', 'cid', 'appinstanceid'].map((name) => [name, ['anonymousId']])),
  ...Object.fromEntries(
    ['company', 'account', 'organization', 'org', 'team', 'workspace'].map((whose) => [`${whose}id`, ['groupId', 'userId']]),
  ),
}

/** Other names for a known or anonymous person's id: `external_user_id`, `user_pseudo_id`, `identity`. */
const knownId =
  /^(?:identity|.*(?:user|customer|person|profile|contact|subscriber|external|distinct|identity|recipient|player)(?:id|uid|uuid|key|hash|identifier))$/
const anonymousId = /(?:anon|visitor|device|client|pseudo|cookie|domainuser|networkuser|instance|browser).*(?:id|uid|uuid|key)$/

/** The fields that an id of this name may mean; undefined for a field's own name, and for the name of something else. */
export function fieldsOfIdentity(name: string): readonly string[] | undefined {
  const plain = plainName(name)
  if (Object.hasOwn(identityNames, plain)) return identityNames[plain]
  if (/^(?:previous|old|new|group|message)/.test(plain) || idFields.some((field) => plainName(field) === plain)) return undefined
  return anonymousId.test(plain) ? ['anonymousId'] : knownId.test(plain) ? ['userId', 'anonymousId'] : undefined
}

const partsOfCall = words('data attributes metric event traits properties')

/** True for an object or list that may be more than a call's details: it has someone's id, or objects with parts of a call. */
function isWrapper(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isWrapper)
  const names = isObject(value) ? Object.entries(value) : []
  return names.some(
    ([name, held]) =>
      (fieldsOfIdentity(name) !== undefined && !['id', 'email'].includes(name)) ||
      (isObject(held) && (partsOfCall.includes(plainName(name)) || holder.test(plainName(name)))),
  )
}

/** Names that, in a call without a person's id, can only mean that id; an identify call is about a person, so it allows more names. */
const personIds = ['customerid', 'personid']
const identifiedIds = [...personIds, 'id', 'identifier', 'profileid', 'memberid', 'contactid', 'externalid', 'distinctid']

/** Names of ids that the caller must confirm to be the person's. */
export const unsurePersonIds: readonly string[] = ['profileid', 'memberid', 'contactid', 'externalid', 'distinctid']

/** Objects that may contain a person's id. */
const personNames: readonly string[] = ['user', 'person', 'customer', 'identifiers']

/** Further objects that may contain a person's id. */
const holder = /^(?:user|person|customer|profile|visitor|contact|subscriber|identity|recipient|member)/

/** Objects that may contain a group's id. */
const groupNames: readonly string[] = ['group', 'company', 'account', 'organization', 'org', 'team', 'workspace']

/** True if a call has no value for a field. */
export const isAbsent = (value: unknown) => value === undefined || value === null || value === ''

/** The field that an id in an object is meant for: `"user": {"id": "ada"}`. */
function fieldOfHeldId(type: ItemType, { name, value }: Member): 'userId' | 'groupId' | undefined {
  if (!isObject(value) || !mayHold('userId', value['id'])) return undefined
  const plain = plainName(name)
  if (plain === 'userid' || personNames.includes(plain)) return 'userId'
  return type === 'group' && (plain === 'groupid' || groupNames.includes(plain)) ? 'groupId' : undefined
}

/** The field for an id whose name or place is unambiguous only if the call has no other id. */
export function fieldOfLoneId(type: ItemType, member: Member, call: JsonObject): string | undefined {
  const held = fieldOfHeldId(type, member)
  const names = type === 'identify' ? identifiedIds : personIds
  const field = held ?? (names.includes(plainName(member.name)) && mayHold('userId', member.value) ? 'userId' : undefined)
  const isTaken =
    field !== undefined &&
    Object.entries(call).some(([name, value]) => mayHold(field, value) && (name === field || fieldOfName(type, name) === field))
  return isTaken ? undefined : field
}

/** A top-level field that the vendor does not read. */
export interface UnusedField {
  readonly name: string
  /** The path where the vendor reads the value; undefined if none of the call's fields can hold it. */
  readonly home: string | undefined
  /** True if the field is about a person, in a call that stores nothing about people. */
  readonly isAboutPerson: boolean
  /** True if its home is free, and no other field has that home. */
  readonly isMovable: boolean
}

/** A name without case and separators. */
export const plainName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** A call's top-level fields that the vendor does not read. */
export function unusedFields(type: ItemType, call: JsonObject): UnusedField[] {
  const known = [...fieldsOf(type), ...toleratedFields]
  // An alias merges the person identified by previousId; it does not read anonymousId.
  const isMisplaced = (name: string) => type === 'alias' && name === 'anonymousId' && call['previousId'] === undefined
  const names = Object.keys(call).filter((name) => !known.includes(name) || isMisplaced(name))
  const fields = names.map((name) => {
    const isAboutPerson = containers[type] === 'properties' && (aboutPersons.includes(plainName(name)) || isTraitsCommand(name))
    return { name, home: isAboutPerson ? undefined : homeOf(type, { name, value: call[name] }, call), isAboutPerson }
  })
  const homes = fields.map(({ home }) => home)
  return fields.map((field) => {
    const isOnly = homes.indexOf(field.home) === homes.lastIndexOf(field.home)
    return { ...field, isMovable: field.home !== undefined && isOnly && isFree(field.home, call, call[field.name]) }
  })
}

/** True if a place is empty, or two objects there have no member in common. */
function isFree(home: string, call: JsonObject, value: unknown): boolean {
  const [container, member] = pathOf(home)
  const held = call[container] ?? {}
  if (member === undefined)
    return isAbsent(call[home]) || (isObject(held) && isObject(value) && !Object.keys(value).some((name) => Object.hasOwn(held, name)))
  return isObject(held) && !Object.hasOwn(held, member)
}

/** A home's field and, if the home has more parts, the field's member, whose name may contain dots. */
export function pathOf(home: string): readonly [field: string, member?: string] {
  const dot = home.indexOf('.')
  return dot < 0 ? [home] : [home.slice(0, dot), home.slice(dot + 1)]
}

/** True for a list of several people's ids, in a call without a person's id. */
export function isIdList({ name, value }: Member, call: JsonObject): boolean {
  const isList = Array.isArray(value) && value.length > 0 && value.every((each) => mayHold('userId', each))
  const isNamed = ['userid', 'userids', 'users', 'people', 'members'].includes(plainName(name))
  return isList && isNamed && ['userId', 'anonymousId'].every((each) => each === name || isAbsent(call[each]))
}

/** True for a list of several groups' ids in a call about one. */
export function isGroupList(type: ItemType, { name, value }: Member, call: JsonObject): boolean {
  const isNamed = type === 'group' && ['groupid', 'groupids', 'groups'].includes(plainName(name))
  return (
    isNamed && (name === 'groupId' || isAbsent(call['groupId'])) && Array.isArray(value) && value.every((each) => mayHold('groupId', each))
  )
}

/** True for several names in a field that takes one: `"events": ["Opened", "Closed"]`. */
export function isNameList(type: ItemType, { name, value }: Member, call: JsonObject): boolean {
  const field = type === 'track' ? 'event' : 'name'
  const isNamed = containers[type] === 'properties' && [field, `${field}s`, `${type}s`].includes(plainName(name))
  return isNamed && (name === field || isAbsent(call[field])) && Array.isArray(value) && value.length > 1 && value.every(isText)
}

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''

/** True for an object with a field that only calls have. */
export function namesCall(value: unknown): boolean {
  const fields = [...idFields, 'event', 'traits'].map(plainName)
  return isObject(value) && Object.keys(value).some((name) => fields.includes(plainName(name)))
}

/** True for a field that asks to remove or extend traits: `"unset": ["phone"]`. */
export const isTraitRemoval = ({ name, value }: Member) =>
  typeof value !== 'boolean' &&
  (/^\$(?:set_once|add|append|prepend|union|remove|delete|unset|pre_?insert|post_?insert|clear_?all)$/i.test(name) ||
    traitRemoval.test(plainName(name)))
const traitRemoval = /^(?:unset|(?:unset|remove|delete|clear)(?:traits?|attributes?|properties))$/

/** True for a field that asks to remove what the call would add: `"action": "remove"`, `"delete": true`. */
export function isRemoval(type: ItemType, { name, value }: Member): boolean {
  const [plain, text] = [plainName(name), typeof value === 'string' ? plainName(value) : '']
  const isAction = ['action', 'method', 'operation', 'op', 'command', 'status', 'type'].includes(plain) && removing.test(text)
  return containers[type] !== 'properties' && (isAction || (value === true && removing.test(plain) && !/[A-Z_]/.test(name)))
}

const removing = /^(?:delet|remov|eras|leav|left$|unlink|unassign|unmerge|split|detach|suppress|purg)/

export interface Member {
  readonly name: string
  readonly value: unknown
}

/** True if a call identifies a person, in the right field or under an alternative name. */
const hasPersonId = (type: ItemType, call: JsonObject) =>
  Object.entries(call).some(
    ([name, value]) => !isAbsent(value) && [name, fieldOfName(type, name)].some((field) => field === 'userId' || field === 'anonymousId'),
  )

function homeOf(type: ItemType, { name, value }: Member, call: JsonObject): string | undefined {
  const plain = plainName(name)
  const container = containers[type]
  const lone = fieldOfLoneId(type, { name, value }, call)
  if (lone !== undefined) return lone
  const isGroupId = type === 'group' && isAbsent(call['groupId']) && fieldsOfIdentity(name)?.[0] === 'groupId'
  const field = isGroupId ? 'groupId' : fieldOfName(type, name)
  // Next to both ids, it does not name a side of the merge: `"source": "web"`.
  if (type === 'alias' && fieldNamed(mergeEnds, plain) && !(isAbsent(call['previousId']) || isAbsent(call['userId']))) return undefined
  // A name alongside an event may be the person's.
  if (field === 'event' && plain === 'name' && call['event'] !== undefined) return undefined
  const isOtherName =
    field === 'name' &&
    (plain === 'event' || plain === 'title') &&
    (call['name'] !== undefined || /^\$/.test(String(value)) || isView(value))
  if (field !== undefined && mayHold(field, value) && !isOtherName) return field
  const isTrait = type === 'identify' && plain === 'email'
  const namesPerson = typeof value === 'object' && hasPersonId(type, call)
  const isOfPerson = personNames.includes(plain) || (!namesPerson && !isContainerName(plain, container ?? '') && holder.test(plain))
  const isHolder = fieldOfHeldId(type, { name, value }) !== undefined || (isObject(value) && isOfPerson)
  const isIdentity = fieldsOfIdentity(name) !== undefined || isHolder
  if (container === undefined || (isIdentity && !isTrait)) return undefined
  if (!namesPerson && isWrapper(value)) return undefined
  const isMembers = isObject(value) || (Array.isArray(value) && ['traits', 'properties', 'attributes'].includes(plain))
  if (isMembers && isContainerName(plain, container)) return container
  if (typeof value === 'string' && Object.hasOwn(contextTexts, plain)) return contextTexts[plain]
  if (isObject(value) && type === plain) return container
  if (isObject(value) && contextObjects.has(plain)) return `context.${plain}`
  const isOfOtherView = type === 'page' ? /^screen(?:name)?$/.test(plain) : type === 'screen' && /^page(?:name)?$/.test(plain)
  const isHomeless =
    isOfOtherView ||
    isRemoval(type, { name, value }) ||
    (container === 'traits' && isTraitRemoval({ name, value })) ||
    (type === 'group' && plain === 'groups') ||
    (namesCall(value) && (itemTypes.some((each) => each === name) || !namesCall(call))) ||
    isNameList(type, { name, value }, call) ||
    otherCallsFields.has(plain) ||
    homelessNames.has(plain) ||
    /^[_$]/.test(name) ||
    isIdList({ name, value }, call)
  return isHomeless ? undefined : `${container}.${name}`
}

/** The field that an alternative name stands for. */
function fieldOfName(type: ItemType, name: string): string | undefined {
  const plain = plainName(name)
  const field = fieldsOf(type).find((each) => plainName(each) === plain && each !== name)
  return field ?? fieldNamed(ownNames[type], plain) ?? fieldNamed(commonNames, plain) ?? fieldOfTypo(type, plain)
}

/** The field whose name was written with a typo. Short names resemble too many others. */
function fieldOfTypo(type: ItemType, plain: string): string | undefined {
  const typable = [...idFields, 'event', 'timestamp', 'messageId']
  const fields = fieldsOf(type).filter((each) => typable.includes(each) && isMisspelling(plain, each.toLowerCase()))
  return fields.length === 1 ? fields[0] : undefined
}

/** True for an object's name, perhaps with a typo, if the object contains the call's details. */
function isContainerName(plain: string, container: string): boolean {
  return containerNames.has(plain) || [container, 'properties', 'attributes'].some((each) => isMisspelling(plain, each))
}

/** The field for a name that the caller wrote; `constructor`, which every object has, is not one. */
function fieldNamed(names: Readonly<Record<string, string>>, plain: string): string | undefined {
  return Object.hasOwn(names, plain) ? names[plain] : undefined
}

/** True if a value under a different name may be meant for a field. */
function mayHold(path: string, value: unknown): boolean {
  if (idFields.includes(path)) return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
  if (dateTimeFields.includes(path) || path === 'traits.createdAt') return readDateTime(value) !== undefined
  if (['event', 'name', 'messageId'].includes(path)) return typeof value === 'string' && value.trim() !== ''
  return true
}
