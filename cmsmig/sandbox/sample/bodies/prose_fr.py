"""French paragraphs that the French variants are put together from."""

from __future__ import annotations

MARAIS = (
    "Le marais ne commence nulle part. On marche entre deux haies, puis les haies "
    "s’éclaircissent, le chemin perd son goudron et la terre se met à luire. Bram "
    "Oakes, qui coupe le roseau ici depuis ses quatorze ans, appelle ce passage "
    "« l’arpent incertain » : il n’est à personne, dit-il, car personne n’a su s’y "
    "tenir assez longtemps pour le réclamer.",
    "Deux fois par jour, la mer remonte par les chenaux, sans bruit, par en dessous. "
    "Pas de vague à proprement parler : la vase fonce, la salicorne se soulève, et là "
    "où l’on voyait des traces de pas il y a le ciel.",
    "En janvier, quand le gel a pris la feuille, on coupe le roseau. Une bonne main "
    "fait quatre cents bottes dans une courte journée, et les lie d’un brin du même "
    "roseau, pour n’avoir rien à remporter que ce qu’on rapportera chez soi.",
)

PORT = (
    "Port-Ardoise regarde du mauvais côté. Tous les autres ports de la côte tournent "
    "le dos au suroît ; celui-ci lui ouvre les bras, et il a payé la vue de trois "
    "jetées, de deux canots de sauvetage et d’une chapelle.",
    "La criée est finie à sept heures. Elle durait autrefois jusqu’à neuf, et on "
    "l’entendait de la gare ; il reste onze bateaux sur soixante, et l’on enchérit sur "
    "un écran dont le son est coupé. Les goélands, qu’on n’a pas prévenus, viennent "
    "toujours à l’ancienne heure.",
    "Quand le vent passe au nord, tout le quai sent le goudron et le pain grillé. Le "
    "goudron, c’est l’accastillage ; le pain grillé, c’est la malterie, où l’on sèche "
    "au hêtre l’orge de trois brasseries.",
)

BRASSERIE = (
    "Une gose est une chose simple, facile à rater : moitié froment, un peu de "
    "coriandre, une poignée de sel, et une acidité qu’il faut arrêter à la bonne "
    "heure. Adaeze Thorne arrête la sienne au goût, à quatre heures du matin, debout "
    "sur une caisse.",
    "L’eau vient de dessous la craie. Elle y serait restée, selon l’hydrologue, neuf "
    "mille ans environ. Elle est dure, froide, et n’a goût de rien ; chaque bière de "
    "la maison est une manière de ne pas la déranger.",
    "On peut fumer le malt sur presque tout ce qui brûle. Le hêtre donne du jambon, "
    "l’aulne du poisson, et la tourbe l’impression qu’on vous raconte un feu.",
)

SENTIER = (
    "Partez du porche de l’église et gardez le mur à main droite. Après quatre cents "
    "pas vient un échalier à la barre branlante : tous ceux qui passent ont juré de la "
    "réparer.",
    "La Longue Chaussée se passe deux heures et demie avant et après la basse mer ; "
    "c’est ce que dit le panneau. Il ne dit pas que le dernier tiers est plus bas que "
    "le milieu. Lisez l’horaire, puis ôtez-en une demi-heure.",
    "Du haut de Wether Down on voit les deux côtes, ce qui est plaisant, et le temps "
    "qu’il fait sur les deux, ce qui est utile.",
)

PRATIQUE = (
    "La gare est à douze minutes du quai, en descente. Un train par heure jusqu’à neuf "
    "heures du soir ; le dernier car du marais part à 18 h 10 et n’attend personne.",
    "Les billets se prennent à l’entrée. Les moins de douze ans entrent gratuitement "
    "s’ils savent nommer trois échassiers.",
    "Nous paraissons quatre fois l’an, aux solstices et aux équinoxes, ou aussi près "
    "que l’imprimeur le permet.",
)

BANQUE = {
    "marais": MARAIS,
    "port": PORT,
    "brasserie": BRASSERIE,
    "sentier": SENTIER,
    "pratique": PRATIQUE,
}
"""The paragraphs by subject."""
