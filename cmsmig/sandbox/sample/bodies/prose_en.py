"""English paragraphs that the longer bodies are put together from."""

from __future__ import annotations

MARSH = (
    "The marsh does not begin anywhere. One moment you are on a lane between two "
    "hedges, and the next the hedges have thinned to a few wind-bent thorns, the "
    "lane has lost its tar, and the ground on either side shines. Bram Oakes, who "
    "has cut reed here since he was fourteen, calls this stretch the doubtful acre. "
    "It belongs to nobody, he says, because nobody has ever managed to stand still "
    "in it long enough to claim it.",
    "Twice a day the sea comes up through the creeks, quietly, from below. There is "
    "no wave to speak of. The mud darkens, the samphire lifts, and where there were "
    "footprints there is sky. Visitors tend to look out towards the horizon for the "
    "tide and are surprised to find it behind them.",
    "Redshank go up first, piping, then the curlew, and last of all the brent geese, "
    "which seem to hold a committee before every departure. By the time the water "
    "reaches the old sluice the whole flat is in the air, turning over like a page. "
    "Nobody in Harrowmere stops what they are doing for it, and nobody has ever "
    "failed to notice.",
    "The reed is cut in January, when the frost has stripped the leaf. A good cutter "
    "makes four hundred bundles in a short day and ties them with a twist of the same "
    "stuff, so that nothing has to be carried out but what will be carried home.",
    "In the parish chest there is a map of 1788 on which the marsh is left blank, "
    "apart from a small drawing of a cow looking at the viewer with concern.",
    "What the drainage board calls a managed retreat the farmers call giving up, and "
    "both are describing the same eleven hectares. The wall was breached on a still "
    "morning in October, with a digger and a flask of tea, and by Christmas there "
    "were flounder where the barley had been. The barley, everyone agrees, had never "
    "been very good.",
)

HARBOUR = (
    "Port Ardoise faces the wrong way. Every other harbour on this coast turns its "
    "back to the south-west; this one opens its arms to it, and has paid for the view "
    "with three piers, two lifeboats and a chapel. The fourth pier, finished in 1931, "
    "is still there. People say it is because the sea got bored.",
    "The fish auction is over by seven. It used to last until nine and to be heard as "
    "far as the station, but there are eleven boats now where there were sixty, and "
    "the bidding is done on a screen with the sound turned off. The gulls have not "
    "been told and arrive at the old time.",
    "On the slip an old crabber is being re-planked by two people who met on an "
    "evening course and now share a van, a dog and a steam box. They buy larch from a "
    "wood you can see from the masthead. It takes an hour in the steam for every inch "
    "of thickness and about four seconds to get it wrong.",
    "The harbour office keeps a ledger of everything that has been handed in since "
    "1902: oars, hats, a wooden leg, a tray of wedding rings from a jeweller's boat, "
    "a parrot. The column headed <em>claimed</em> is almost empty. The column headed "
    "<em>remarks</em> is the best local history we have.",
    "When the wind goes round to the north the whole quay smells of tar and toast. "
    "The tar is the chandlery; the toast is the maltings behind it, where the barley "
    "for three breweries is dried over beech. In a northerly, the harbourmaster says, "
    "he puts on weight.",
    "There is a bench at the end of the mole with a brass plate that reads only: "
    "<em>She was waiting for the ferry and did not mind.</em> No one knows who put it "
    "there, and the ferry stopped in 1968.",
)

BREWING = (
    "A gose is a simple thing that is easy to make badly: half wheat, some coriander, "
    "a handful of salt, and a souring that has to be stopped at the right hour. Adaeze "
    "Thorne stops hers by taste, at four in the morning, standing on an upturned "
    "crate. She has a pH meter. She uses it, she says, to settle arguments.",
    "The water comes from under the chalk and has been down there, the hydrologist "
    "told them, for something like nine thousand years. It is hard, cold and tastes of "
    "nothing whatever. Every beer the brewery has made is in some sense an attempt to "
    "leave it alone.",
    "Dunlock keeps its yeast in a fridge that was bought for ice lollies and still has "
    "a penguin on the door. There are forty-one jars. The oldest was lifted from the "
    "skin of a plum in the vicarage garden; the newest came on a beer mat in the post, "
    "with a note that said <em>please be kind to it</em>.",
    "You can smoke malt over almost anything that burns. Beech gives ham, alder gives "
    "fish, and peat gives the feeling that someone has been telling you a story about "
    "a fire. Salt-marsh heather, which nobody else uses because it takes a day to cut "
    "enough for an hour, gives something between honey and rope.",
    "They brewed the first batch in a jam pan and sold it to a wedding. The second was "
    "larger, and went to the people who had been at the wedding. By the ninth they had "
    "a lease, a second-hand copper and a letter from the excise that began, "
    "alarmingly, with the words <em>further to our visit</em>.",
    "Hops do not like this coast. They do not like the wind, or the salt, or the short "
    "summer, and they say so by going brown from the edges in. But there is one wall "
    "in the lee of the church where a single plant has climbed to the gutter every "
    "year since the war, and one cask each September is bittered with nothing else.",
)

WALKING = (
    "Start at the lych-gate and keep the wall on your right hand. After four hundred "
    "paces there is a stile with a loose top bar; everybody who walks here has meant "
    "to mend it. Beyond it the path drops through bracken to the first of three "
    "bridges, of which the second is a plank and the third a matter of opinion.",
    "The Long Causeway is passable for two and a half hours either side of low water. "
    "That is what the board says. The board does not say that the last third is lower "
    "than the middle, so that a walker who turns back in good time may find the way "
    "home already wet. Read the table, then take half an hour off it.",
    "From the top of Wether Down you can see both coasts, which is pleasant, and the "
    "weather on both coasts, which is useful. If there is a line across the western "
    "one as if someone had ruled it, you have forty minutes.",
    "There is no water between the quarry and the inn, no shade either, and for the "
    "best part of five kilometres no reason to think that you have moved. Then the "
    "path turns round a shoulder of slate and the whole estuary is laid out like "
    "something on a tray.",
    "The route is waymarked with a yellow tern, painted in 1987 by a school class that "
    "had evidently never seen one. It looks most like a flying trowel. Follow it all "
    "the same: the class got the directions right.",
    "Dogs are welcome on the lower path all year, and on the spit from September to "
    "March. Between those months the shingle is full of eggs that look exactly like "
    "shingle, and the terns have been known to draw blood.",
)

TABLE = (
    "Samphire should be picked with scissors, above the joint, and never pulled. Wash "
    "it three times, blanch it for less time than it takes to say so, and eat it with "
    "your fingers. Anyone who adds salt has not been paying attention.",
    "The pie that made the Quern Mill famous was a mistake. The cook had been told "
    "twelve for lunch and got forty, and stretched what eel there was with potato, "
    "then leek, then more leek. What came back was forty clean plates and a request, "
    "from a table of surveyors, to have the same again tomorrow.",
    "Bread first. In a village of three hundred there are two bakers, who do not "
    "speak, and whose loaves are so different that most households buy one of each. "
    "The upper baker bakes dark. The lower baker bakes light. There has never been a "
    "middle one.",
    "Ask for the oysters from the north bed. They are smaller and look as if they had "
    "been through something, but the spring that comes up there takes the edge off the "
    "salt, and what is left tastes of cucumber and cold coins.",
    "Plum jam is made here without stirring. The fruit is layered with sugar in the "
    "evening and brought up to a shiver at dawn, and then it is left alone, a thing "
    "that cooks find harder than anything else they are asked to do.",
)

PEOPLE = (
    "Wendell Pike has been keeper of Candle Point for nineteen years, which is odd, "
    "since the light has been automatic for twenty-six. He came to paint the railings. "
    "There are, he explains, a great many railings, and by the time you reach the last "
    "the first have begun to think about rust.",
    "She learned the trade from her aunt, who learned it from a German prisoner, who "
    "had it from a book. None of them ever met a basket maker. The baskets are perfect "
    "and unlike anyone else's, and when a man from the museum came to say so he was "
    "given a cup of tea and asked to hold the other end.",
    "Ask anybody over sixty and they will tell you about the winter of the ice: how "
    "the creek froze, how the post came on a sledge, how two brothers walked to the "
    "island for a bet and had to stay until March. The brothers, who run the garage, "
    "say that it was February, and that there was never any bet.",
    "It is a choir of fourteen, none of whom can read music. They learn by ear from "
    "one another, in pairs, on the phone. It makes for unusual harmonies and very "
    "large telephone bills, and since the recording of 2019 there has been a "
    "waiting list.",
    "Orla Finch measures rain. She has done it every morning at nine since 1974, with "
    "the same copper gauge, and has missed eleven days, each of which she can account "
    "for. When the weather service closed its station in the town it kept her number.",
)

PRACTICAL = (
    "The station is twelve minutes on foot from the quay, downhill. Trains run hourly "
    "until nine in the evening; the last bus from the marsh leaves at ten past six and "
    "waits for nobody, with the exception of Mrs Carrow.",
    "Tickets are sold at the door, in cash or by card, and cost the same either way. "
    "Under-twelves come in free if they can name three wading birds. The person on the "
    "door decides what counts as a wading bird.",
    "We print four times a year, on the solstices and the equinoxes or as near as the "
    "printer can manage. Copies go out by post on the following Tuesday. If yours has "
    "not come within ten days, write to us and we will send another without asking.",
    "Parking is in the field behind the chapel and costs whatever you put in the tin. "
    "After rain, park on the slope: the flat part is only flat because it is wet.",
    "The path is level and firm as far as the second hide and suits wheels of every "
    "kind. Beyond it there are forty metres of shingle. A boardwalk is planned, has "
    "been planned since 2011, and will be announced here when it can be walked on.",
)

BANK = {
    "marsh": MARSH,
    "harbour": HARBOUR,
    "brewing": BREWING,
    "walking": WALKING,
    "table": TABLE,
    "people": PEOPLE,
    "practical": PRACTICAL,
}
"""The paragraphs by subject."""
