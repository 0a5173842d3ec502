// A host in a browser, which shows an app in a frame and talks to it through the official bridge.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

type Json = Readonly<Record<string, unknown>>

interface Told {
  /** Text that the model would get from the app. */
  context: string
  messages: string[]
  sizes: number[]
  /** The time of the first greeting that the host hears, in milliseconds since 1970. */
  greeted: number
}

interface Shown {
  readonly address: string
  readonly width: number
  readonly capabilities: Json
  readonly context: Json
  readonly honoursSize: boolean
  readonly sandbox: string
  readonly input: Json
  readonly result: Json
  /** False for a host that starts to listen late. */
  readonly listens: boolean
}

declare global {
  /** Makes a call for the app; the test sends it with the host's client. */
  function callTool(params: unknown): Promise<never>
  var told: Told
  var listen: () => Promise<void>
  var openApp: (shown: Shown) => Promise<void>
  var changeContext: (context: Json) => Promise<void>
}

globalThis.told = { context: '', messages: [], sizes: [], greeted: 0 }

globalThis.openApp = async ({ address, width, capabilities, context, honoursSize, sandbox, input, result, listens }) => {
  told = { context: '', messages: [], sizes: [], greeted: 0 }
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', sandbox)
  frame.style.cssText = `border:0;display:block;width:${width}px;height:${honoursSize ? 60 : 240}px`
  frame.title = 'app'
  document.body.replaceChildren(frame)
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, capabilities, { hostContext: context })
  bridge.oncalltool = (params) => callTool(params)
  bridge.onupdatemodelcontext = ({ content = [] }) => {
    told.context = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    return Promise.resolve({})
  }
  bridge.onmessage = ({ content }) => {
    told.messages.push(JSON.stringify(content))
    return Promise.resolve({})
  }
  bridge.onrequestdisplaymode = ({ mode }) => {
    if (mode === 'fullscreen') frame.style.height = '640px'
    return Promise.resolve({ mode })
  }
  bridge.addEventListener('sizechange', ({ height = 0 }) => {
    told.sizes.push(height)
    if (honoursSize) frame.style.height = `${Math.min(height, 640)}px`
  })
  bridge.addEventListener('initialized', () => {
    void bridge.sendToolInput({ arguments: { ...input } }).then(() => bridge.sendToolResult({ content: [], ...result }))
  })
  globalThis.changeContext = (changed) => Promise.resolve(bridge.sendHostContextChange(changed))
  const { contentWindow } = frame
  if (!contentWindow) throw new Error('The frame has no window.')
  globalThis.listen = () => {
    addEventListener('message', ({ source, data }: MessageEvent<{ readonly method?: string }>) => {
      if (source === contentWindow && data.method === 'ui/initialize') told.greeted ||= performance.timeOrigin + performance.now()
    })
    return bridge.connect(new PostMessageTransport(contentWindow, contentWindow))
  }
  if (listens) await listen()
  frame.src = address
}
